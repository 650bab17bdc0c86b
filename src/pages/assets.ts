import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf } from './respond.ts';

/** The same from src/pages in development and from dist/pages in the package. */
const folder = fileURLToPath(new URL('../../static/', import.meta.url));

/** A style sheet or script as it is served. */
export interface Asset {
  /** Its name under `static_prefix`: `core.css`. */
  name: string;
  type: string;
  body: Buffer;
  /** Of the body, in URL-safe characters; an address that carries it never changes its content. */
  hash: string;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads every static file once, so that no name of a request ever reaches the file system. */
export function readAssets(): Map<string, Asset> {
  const assets = new Map<string, Asset>();

  function read(name: string): Asset {
    const known = assets.get(name);
    if (known) return known;
    const type = types[extname(name)]!;
    const text = readFileSync(`${folder}${name}`, 'utf8');
    // A module that imports another names its content too: an address with a hash stands for all that it loads.
    const body = Buffer.from(text.replace(/'\.\/([\w-]+\.js)'/g, (_, of) => `'./${addressOf(read(of))}'`));
    const asset = { name, type, body, hash: hashOf(body) };
    assets.set(name, asset);
    return asset;
  }

  for (const name of readdirSync(folder)) if (extname(name) in types) read(name);
  return assets;
}

/** Relative to `static_prefix`: `core.css?v=<hash>`. */
export const addressOf = ({ name, hash }: Asset) => `${name}?v=${hash}`;
