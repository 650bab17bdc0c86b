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
  const files = new Map(
    ['', 'built/'].flatMap(of =>
      readdirSync(`${folder}${of}`)
        .filter(name => extname(name) in types && (of || !name.endsWith('.js')))
        .map(name => [name, `${folder}${of}${name}`]),
    ),
  );
  const assets = new Map<string, Asset>();

  function read(name: string, file: string): Asset {
    const known = assets.get(name);
    if (known) return known;
    // The addresses of imported modules contain their hashes, so that a module's own hash covers everything that it loads.
    const text = readFileSync(file, 'utf8').replace(/(["'`])\.\/([\w-]+\.js)\1/g, (whole, mark, of) => {
      const imported = files.get(of);
      return imported ? `${mark}./${addressOf(read(of, imported))}${mark}` : whole;
    });
    const body = Buffer.from(text);
    const asset = { name, type: types[extname(name)]!, body, hash: hashOf(body) };
    assets.set(name, asset);
    return asset;
  }

  for (const [name, file] of files) read(name, file);
  return assets;
}

/** Relative to `static_prefix`: `core.css?v=<hash>`. */
export const addressOf = ({ name, hash }: Asset) => `${name}?v=${hash}`;
