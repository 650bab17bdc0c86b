import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../package-files.ts';
import { hashOf } from './respond.ts';

const folder = fileURLToPath(packageFile('static/'));

/** A style sheet or script as it is served. */
export interface Asset {
  /** Its name under `static_prefix`: `core.css`. */
  name: string;
  type: string;
  body: Buffer;
  /** The hash of the body, in URL-safe characters; the content of an address that carries it never changes. */
  hash: string;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads every static file once, so that no name from a request ever reaches the file system. */
export function readAssets(): Map<string, Asset> {
  const assets = new Map<string, Asset>();

  function read(name: string): Asset {
    const known = assets.get(name);
    if (known) return known;
    const type = types[extname(name)]!;
    const source = readFileSync(`${folder}${name}`, 'utf8');
    const text = name.endsWith('.js') ? withoutComments(source) : source;
    // The addresses of imported modules contain their hashes, so that a module's own hash covers everything that it loads.
    const body = Buffer.from(text.replace(/'\.\/([\w-]+\.js)'/g, (_, of) => `'./${addressOf(read(of))}'`));
    const asset = { name, type, body, hash: hashOf(body) };
    assets.set(name, asset);
    return asset;
  }

  for (const name of readdirSync(folder)) if (extname(name) in types) read(name);
  return assets;
}

/**
 * Returns a script without the comments that have lines of their own. These hold the types of the scripts: a third of what
 * a browser would load, and they name other modules, which it must not load because of them.
 */
export function withoutComments(source: string): string {
  return source.replace(/^[ \t]*(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*|\/\/.*)\n/gm, '');
}

/** Relative to `static_prefix`: `core.css?v=<hash>`. */
export const addressOf = ({ name, hash }: Asset) => `${name}?v=${hash}`;
