import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';

// Dependencies point one way: doors → services → storage → tables. A layer is a folder or a file directly under src.

const root = join(import.meta.dirname, '../src');
const files = globSync('**/*.ts', { cwd: root }).map(path => {
  const source = readFileSync(join(root, path), 'utf8');
  return { path, layer: layerOf(path), source, imports: importsOf(path, source) };
});

/** What each layer may import. A new layer has to be given its place here. */
const mayImport: Record<string, string[]> = {
  'node-version': [],
  // The first imports of an entry point.
  'assert-node': ['node-version'],
  'package-files': [],
  version: ['package-files'],
  optional: ['version'],
  clock: [],
  logger: [],
  lazily: [],
  'recent-map': [],
  'bounded-fetch': [],
  // Texts for people, in their languages.
  words: ['lazily', 'nearest', 'package-files'],
  templates: ['errors', 'lazily', 'package-files'],
  errors: ['error-kind', 'feature-errors'],
  'error-kind': [],
  'zod-shape': [],
  names: [],
  'in-node': ['names', 'zod-shape'],
  'plain-object': [],
  'event-names': ['contract'],
  // The events of features.
  'feature-events': ['features', 'joined'],
  // The error codes of features.
  'feature-errors': ['features', 'joined'],
  joined: [],
  nearest: [],
  // The declaration of an optional capability, and the one place where the core has all of them.
  feature: ['config', 'factor', 'mail', 'storage', 'tables'],
  'feature-parts': ['feature', 'features', 'joined'],
  // How the authenticators of a feature count in a sign-in.
  factor: ['tables'],
  tables: ['feature-parts', 'names'],
  config: [
    'nearest',
    'errors',
    'event-names',
    'factor',
    'feature',
    'feature-parts',
    'names',
    'tables',
    'zod-shape',
  ],
  'password-text': [],
  'count-limits': [],
  contract: [
    ...['factor', 'feature-events', 'feature-parts', 'in-node', 'names', 'tables', 'errors', 'password-text'],
    'zod-shape',
  ],
  crypto: ['clock', 'errors', 'lazily', 'optional', 'password-text'],
  outgoing: ['clock', 'crypto', 'tables', 'errors', 'logger', 'storage'],
  // The rules for new passwords.
  passwords: ['bounded-fetch', 'config', 'lazily', 'logger', 'package-files'],
  observability: [
    'clock',
    'contract',
    'crypto',
    'tables',
    'errors',
    'lazily',
    'logger',
    'names',
    'optional',
    'outgoing',
    'storage',
  ],
  mail: ['config', 'feature-parts', 'tables', 'errors', 'logger', 'optional', 'outgoing', 'templates'],
  sms: ['config', 'errors', 'logger', 'outgoing', 'optional'],
  oauth: ['bounded-fetch', 'clock', 'config', 'errors', 'logger', 'optional'],
  storage: ['clock', 'config', 'feature-parts', 'tables', 'errors', 'lazily', 'names', 'optional'],
  limits: ['clock', 'config', 'tables', 'errors', 'lazily', 'logger', 'names', 'storage', 'optional'],
  // The arguments of events are views.
  events: ['contract', 'event-names', 'in-node', 'logger'],
  // Rules that services share.
  domain: [
    ...['clock', 'config', 'contract', 'count-limits', 'crypto', 'tables', 'errors', 'events', 'limits'],
    ...[
      'feature-parts',
      'logger',
      'mail',
      'oauth',
      'observability',
      'outgoing',
      'passwords',
      'plain-object',
      'sms',
      'storage',
    ],
  ],
  services: [
    ...[
      'clock',
      'config',
      'contract',
      'count-limits',
      'crypto',
      'domain',
      'tables',
      'errors',
      'events',
      'factor',
      'feature-parts',
    ],
    ...['limits', 'logger', 'mail', 'oauth', 'observability', 'outgoing', 'password-text', 'storage'],
  ],
  // For APIs in other processes: no loaded module needs Node.
  verify: ['crypto', 'domain', 'http'],
  // Which requirements of standards a configuration meets.
  assurance: ['config', 'names'],
  // Shared by the doors over HTTP. It knows the claims of a session's token.
  http: ['contract', 'crypto', 'domain', 'error-kind', 'errors', 'logger', 'plain-object'],
  // Doors; none imports another.
  rest: ['contract', 'domain', 'errors', 'http', 'logger', 'services', 'zod-shape'],
  graphql: [
    ...['contract', 'domain', 'errors', 'http', 'lazily', 'logger', 'names', 'optional', 'services'],
    ...['recent-map', 'zod-shape'],
  ],
  pages: [
    ...[
      'client',
      'config',
      'contract',
      'count-limits',
      'errors',
      'feature-parts',
      'http',
      'lazily',
      'logger',
    ],
    ...['oauth', 'package-files', 'password-text', 'passwords', 'services', 'templates'],
  ],
  'server-api': ['contract', 'domain', 'errors', 'in-node', 'names', 'services'],
  // Code for browsers shares nothing with the service.
  client: [],
  react: ['client'],
  // Opens the parts of a configuration one by one; `deployment` is a client that shares nothing with the service.
  validate: [
    ...[
      'config',
      'errors',
      'feature-parts',
      'limits',
      'logger',
      'mail',
      'oauth',
      'observability',
      'optional',
    ],
    ...['outgoing', 'pages', 'password-text', 'services', 'sms', 'storage', 'templates'],
  ],
};
/** The composition root, what it is reached by, the program around it, and the kit for tests of a host. */
const above = ['gatehouse', 'composition', 'index', 'cli', 'testing', 'features'];

/** Packages that belong to one place; a scope stands for all of its packages. */
const homes: Record<string, string[]> = {
  react: ['react'],
  express: ['rest', 'http', 'pages', 'cli', 'gatehouse'],
  graphql: ['graphql', 'gatehouse', 'feature'],
  'graphql-yoga': ['graphql'],
  '@pothos': ['graphql'],
  '@mikro-orm': ['storage'],
  nodemailer: ['mail'],
  argon2: ['crypto'],
  compression: ['pages'],
  liquidjs: ['templates'],
  'rate-limiter-flexible': ['limits', 'cli'],
  pino: ['cli'],
  'prom-client': ['observability'],
  '@opentelemetry': ['observability'],
  jose: ['verify'],
  commander: ['cli', 'feature', 'features'],
};

const inBrowsers = ['client', 'react'];

describe.each(Object.keys(mayImport).filter(layer => files.some(file => file.layer === layer)))(
  'the layer %s',
  layer => {
    test('imports only the layers below it', () => {
      // Every layer of the service may say something.
      const allowed = [layer, ...(inBrowsers.includes(layer) ? [] : ['words']), ...mayImport[layer]!];
      const wrong = importsFrom(layer).filter(({ to, isPackage }) => !isPackage && !allowed.includes(to));
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

test('the probe of a deployment imports nothing of the service', () => {
  const allowed = /^validate\/(deployment\/|check\.ts$)/;
  const wrong = files
    .filter(({ path }) => path.startsWith('validate/deployment/'))
    .flatMap(({ path, imports }) =>
      imports
        .filter(specifier => specifier.endsWith('.ts') && !allowed.test(specifier))
        .map(to => ({ path, to })),
    );
  expect(wrong).toEqual([]);
});

test('the verifier of tokens runs in every runtime, and alone loads jose', () => {
  const byPath = new Map(files.map(file => [file.path, file]));
  const loaded = new Set(['verify/index.ts']);
  const packages = new Set<string>();
  // A set is iterated over what is added meanwhile, too.
  for (const path of loaded) {
    const { source } = byPath.get(path)!;
    // Types are gone when it runs.
    const values = source.replaceAll(/^(import|export) type [^;]*;/gm, '');
    expect(values, path).not.toMatch(/\b(Buffer|process|require)\b[.(]/);
    for (const to of importsOf(path, values)) (to.endsWith('.ts') ? loaded : packages).add(to);
  }
  expect([...packages]).toEqual(['jose']);
  expect(loaded.size).toBeLessThan(20);
});

test('the core has features by their lists alone, and no feature imports another', () => {
  const wrong = files.flatMap(({ path, layer, imports }) =>
    imports
      .filter(to => to.startsWith('features/'))
      .filter(to =>
        layer === 'features'
          ? featureOf(path) !== undefined && featureOf(to) !== featureOf(path)
          : lists[path] !== to,
      )
      .map(to => ({ path, to })),
  );
  expect(wrong).toEqual([]);
});

/** The lists of features, by the file of the core that reads each. */
const lists: Record<string, string> = {
  'feature-parts.ts': 'features/index.ts',
  'feature-events.ts': 'features/events.ts',
  'feature-errors.ts': 'features/errors.ts',
};

/** The folder of a feature that a file is in. */
const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];

test('no files import each other in a circle, types included', () => {
  // The declaration of a feature is read first, and loads the rest later.
  const isDeclaration = (path: string) => /^features\/[^/]+\/index\.ts$/.test(path);
  const imports = new Map(
    files.map(({ path, source }) => {
      const read = isDeclaration(path) ? source.replaceAll(/\bimport\('[^']+'\)/g, '') : source;
      return [path, importsOf(path, read).filter(to => to.endsWith('.ts'))];
    }),
  );
  const seen = new Set<string>();
  const circles: string[] = [];
  function walk(path: string, trail: string[]): void {
    const at = trail.indexOf(path);
    if (at >= 0) return void circles.push([...trail.slice(at), path].join(' -> '));
    if (seen.has(path)) return;
    seen.add(path);
    for (const to of imports.get(path) ?? []) walk(to, [...trail, path]);
  }
  for (const path of imports.keys()) walk(path, []);
  expect(circles).toEqual([]);
});

test('every layer has its place', () => {
  const layers = new Set(files.map(file => file.layer));
  expect([...layers].filter(layer => !(layer in mayImport) && !above.includes(layer))).toEqual([]);
});

test('the environment is read in one place', () => {
  const allowed = [
    'config/load.ts',
    // The size of libuv's pool is a fact about the process, not a setting of ours.
    'crypto/password-hash.ts',
    // The kit for tests of a host refuses to run in production.
    'testing/index.ts',
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
    // The list of common passwords at the first need; a filter file at the start, and where one is built.
    /^passwords\/common\.ts$/,
    /^features\/breached-passwords\/(filter-file|build-filter)\.ts$/,
    // The manifest of trusted documents, at the start.
    /^features\/trusted-documents\/manifest\.ts$/,
    // Which languages there are and the files of the host, at the start; the messages of one, with the first that is said in it.
    /^words\/(catalogue|checkup|local-files|tags)\.ts$/,
    // Which templates the host has.
    /^templates\.ts$/,
    /^validate\/configuration\/templates\.ts$/,
    // Creates the file of SQLite, and looks at who can read it, or, without the driver, whether it is there.
    /^storage\/(sqlite|missing)-file\.ts$/,
    // The commands of features.
    /^features\/[\w-]+\/[\w-]*command\.ts$/,
    // The log of a deployment, and the mailbox to which its mails go.
    /^validate\/deployment\/(log|mailbox)-follow\.ts$/,
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
