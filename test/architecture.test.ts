import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';

// Dependencies point one way: doors → services → storage → entities. A layer is a folder or a file directly under src.

const root = join(import.meta.dirname, '../src');
const files = globSync('**/*.ts', { cwd: root }).map(path => {
  const source = readFileSync(join(root, path), 'utf8');
  return { path, layer: layerOf(path), source, imports: importsOf(path, source) };
});

/** What each layer may import: other layers, or single files of them. A new layer has to be given its place here. */
const mayImport: Record<string, string[]> = {
  version: [],
  optional: ['version'],
  clock: [],
  logger: [],
  lazily: [],
  templates: ['lazily'],
  errors: [],
  check: [],
  // A client of a deployment, which shares nothing with it.
  probe: ['check'],
  // Opens the parts of a configuration one by one.
  checkup: ['check', 'config', 'limits', 'logger', 'mail', 'oauth', 'outgoing', 'sms', 'storage'],
  entities: [],
  config: ['errors'],
  inputs: ['errors'],
  crypto: ['clock', 'errors'],
  outgoing: ['errors', 'logger'],
  observability: ['clock', 'crypto', 'errors', 'logger', 'optional', 'outgoing'],
  mail: ['config', 'errors', 'logger', 'optional', 'outgoing', 'templates'],
  sms: ['config', 'errors', 'logger', 'outgoing', 'optional'],
  oauth: ['clock', 'config', 'errors', 'logger', 'optional'],
  storage: ['config', 'entities', 'errors', 'lazily', 'optional'],
  limits: ['clock', 'config', 'entities', 'errors', 'lazily', 'logger', 'storage', 'optional'],
  // The arguments of events are the views that services answer with.
  events: ['entities', 'logger', 'observability', 'services'],
  services: [
    ...['clock', 'config', 'crypto', 'entities', 'errors', 'events', 'inputs', 'limits', 'logger', 'mail'],
    ...['oauth', 'observability', 'outgoing', 'sms', 'storage'],
  ],
  // A door knows the claims of a session's token.
  rest: ['crypto', 'errors', 'logger', 'services'],
  // Its arguments are checked against the inputs; bodies and problems are those of HTTP, at both doors.
  graphql: ['errors', 'inputs', 'lazily', 'logger', 'optional', 'rest', 'services'],
  pages: ['config', 'errors', 'logger', 'rest', 'services', 'templates'],
};
/** The composition root, what it is reached by, and the program around it. */
const above = ['gatehouse', 'index', 'cli'];

/** Packages that belong to one place; a scope stands for all of its packages. */
const homes: Record<string, string[]> = {
  express: ['rest', 'pages', 'cli', 'gatehouse'],
  graphql: ['graphql', 'gatehouse'],
  'graphql-yoga': ['graphql'],
  '@graphql-tools': ['graphql'],
  '@pothos': ['graphql'],
  '@mikro-orm': ['storage', 'entities'],
  nodemailer: ['mail'],
  argon2: ['crypto'],
  compression: ['pages'],
  liquidjs: ['templates'],
  'rate-limiter-flexible': ['limits', 'cli'],
  pino: ['cli'],
  'prom-client': ['observability'],
  '@opentelemetry': ['observability'],
  commander: ['cli'],
};

describe.each(Object.keys(mayImport).filter(layer => files.some(file => file.layer === layer)))(
  'the layer %s',
  layer => {
    test('imports only the layers below it', () => {
      const allowed = [layer, ...mayImport[layer]!];
      const wrong = importsFrom(layer).filter(
        ({ to, specifier, isPackage }) => !isPackage && !allowed.includes(to) && !allowed.includes(specifier),
      );
      expect(wrong).toEqual([]);
    });

    test('imports no package whose home is elsewhere', () => {
      const wrong = importsFrom(layer).filter(({ to, isPackage }) => {
        const home = Object.entries(homes).find(([name]) => `${to}/`.startsWith(`${name}/`));
        return isPackage && home && !home[1].includes(layer);
      });
      expect(wrong).toEqual([]);
    });
  },
);

test('every layer has its place', () => {
  const layers = new Set(files.map(file => file.layer));
  expect([...layers].filter(layer => !(layer in mayImport) && !above.includes(layer))).toEqual([]);
});

test('the environment is read in one place', () => {
  const allowed = [
    'config/load.ts',
    // The size of libuv's pool is a fact about the process, not a setting of ours.
    'crypto/password-hash.ts',
  ];
  const readers = files.filter(({ layer, source }) => layer !== 'cli' && /process\.env/.test(source));
  expect(readers.map(file => file.path).filter(path => !allowed.includes(path))).toEqual([]);
});

test('files are read in few places', () => {
  const allowed = [
    /^config\//,
    // The version stands in package.json.
    /^version\.ts$/,
    // Style sheets and scripts, once, when an instance is made.
    /^pages\/assets\.ts$/,
    // Whether the folder of an SQLite file is there.
    /^storage\/sqlite\.ts$/,
    // The log of a deployment.
    /^probe\/log-follow\.ts$/,
  ];
  const readers = files.filter(
    ({ layer, imports }) => layer !== 'cli' && imports.some(specifier => /^node:fs/.test(specifier)),
  );
  expect(readers.map(file => file.path).filter(path => !allowed.some(place => place.test(path)))).toEqual([]);
});

test('nothing is remembered outside an instance: no module has a variable that changes', () => {
  const changing = files.filter(({ source }) => /^(export )?(let|var) /m.test(source));
  expect(changing.map(file => file.path)).toEqual([]);
});

function layerOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '');
}

function importsOf(path: string, source: string): string[] {
  const lines = source.matchAll(
    /^(?:import|export)\b[^'";]*from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...lines].map(([, from, plain, dynamic]) => {
    const specifier = (from ?? plain ?? dynamic)!;
    return specifier.startsWith('.') ? join(dirname(path), specifier) : specifier;
  });
}

/** What the files of a layer import: other layers by their names, packages by theirs. */
function importsFrom(layer: string) {
  return files
    .filter(file => file.layer === layer)
    .flatMap(({ path, imports }) =>
      imports.map(specifier => {
        const isPackage = !specifier.endsWith('.ts');
        return { path, specifier, to: isPackage ? specifier : layerOf(specifier), isPackage };
      }),
    );
}
