import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alignedTable } from '../../src/config/describe.ts';

const root = join(import.meta.dirname, '../..');

/** The purpose of each package that the sources import. */
const purposes: Record<string, string> = {
  '@aws-sdk/client-sesv2': 'emails by Amazon SES',
  '@aws-sdk/client-sns': 'text messages by Amazon SNS',
  '@clack/prompts': 'questions of `svc init` and `svc oauth setup`',
  '@decimalturn/toml-patch': 'reads and changes `svc.toml`',
  '@mikro-orm/core': 'ORM',
  '@mikro-orm/migrations': 'base class of the migrations on SQL databases',
  '@mikro-orm/mongodb': 'ORM on MongoDB, with its driver',
  '@mikro-orm/postgresql': 'ORM on PostgreSQL, with its driver',
  '@mikro-orm/sql': 'ORM on SQL databases',
  '@mikro-orm/sqlite': 'ORM on SQLite, for a database that is to be installed or migrated',
  '@node-rs/argon2': 'password hashes, on threads of their own',
  '@opentelemetry/api': 'traces',
  '@pothos/core': 'builds the GraphQL schema',
  '@pothos/plugin-complexity': 'limits the complexity of GraphQL documents',
  '@pothos/plugin-scope-auth': 'decides who may read a GraphQL field',
  '@simplewebauthn/server': 'passkeys (`enable_passkeys`)',
  argon2: 'password hashes',
  bcrypt: 'imported password hashes',
  'better-sqlite3': 'driver of SQLite',
  bowser: 'names of browsers in the list of sessions',
  commander: 'commands and options of `svc`',
  express: 'types of guards in an Express host',
  graphql: 'GraphQL itself; a host and Gatehouse share one copy',
  'graphql-yoga': 'GraphQL over HTTP',
  ioredis: 'rate limits in Redis (`rate_limit_store_url`)',
  'intl-messageformat': 'messages in the languages of people; the pages get its formatter',
  jose: 'checks tokens in `gatehouse-auth/verify`, which alone loads it',
  liquidjs: 'templates of pages and emails',
  negotiator: 'languages and encodings that a client accepts',
  nodemailer: 'emails by SMTP',
  'openid-client': 'external sign-in',
  pino: 'log of `svc serve`',
  'postal-mime': '`svc validate` reads the emails that it has sent',
  'prom-client': 'metrics (`enable_metrics`)',
  'proxy-addr': 'addresses of clients behind proxies',
  'rate-limiter-flexible': 'rate limits of routes; it may be left out (`--omit=optional`)',
  'raw-body': 'reads bodies within their limit',
  react: 'hooks of `gatehouse-auth/react`',
  uqr: 'QR codes of authenticator apps',
  uuid: 'ids',
  zod: 'checks of input; the types of the configuration name it',
};

const ofOneRelease =
  'MikroORM refuses packages of several releases, and `better-sqlite3` is that of its release';

/** Why a package has one exact version in place of a range. */
const pins: Record<string, string> = {
  '@mikro-orm/core': ofOneRelease,
  '@mikro-orm/migrations': ofOneRelease,
  '@mikro-orm/mongodb': ofOneRelease,
  '@mikro-orm/postgresql': ofOneRelease,
  '@mikro-orm/sql': ofOneRelease,
  '@mikro-orm/sqlite': ofOneRelease,
  'better-sqlite3': ofOneRelease,
};

interface Locked {
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Returns where a package finds another, as Node looks it up. */
function find(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at ? `${at}/` : ''}node_modules/${name}`;
    if (path in packages) return path;
    if (!at) return undefined;
  }
}

/** Returns the paths of the packages that this one needs itself. */
const needsOf = (path: string): string[] => {
  const { dependencies, optionalDependencies } = packages[path]!;
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap(name => find(path, name) ?? []);
};

/** Returns every package below these, each with the names of those that need it. */
function closure(direct: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>(direct.map(path => [path, []]));
  // A map is iterated over what is added meanwhile, too.
  for (const path of found.keys()) {
    for (const below of needsOf(path)) found.set(below, [...(found.get(below) ?? []), nameOf(path)]);
  }
  return found;
}

function purposeOf(path: string, neededBy: readonly string[]): string {
  const name = nameOf(path);
  // Another copy, below a package, is there for that package alone.
  const own = path === `node_modules/${name}` ? purposes[name] : undefined;
  const purpose = own ?? (neededBy.length > 0 && `of ${[...new Set(neededBy)].join(', ')}`);
  if (!purpose) throw new Error(`scripts/docs/dependencies.ts does not say what ${name} is for.`);
  return purpose;
}

function belowTable(found: Map<string, string[]>): string {
  const rows = [...found]
    .map(([path, by]) => [
      nameOf(path),
      packages[path]!.version,
      packages[path]!.license!,
      purposeOf(path, by),
    ])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return alignedTable([['Package', 'Version', 'Licence', 'For'], ...rows]);
}

interface Manifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const isOptional = (name: string) => manifest.peerDependenciesMeta[name]?.optional === true;

/** @throws {Error} where a package has no purpose here, or one exact version without a reason */
function namedTable(ranges: Record<string, string>): string {
  const rows = Object.entries(ranges).map(([name, range]) => {
    const isPinned = /^\d/.test(range);
    if (isPinned !== name in pins)
      throw new Error(`scripts/docs/dependencies.ts does not say why ${name} is pinned.`);
    const { license } = packages[`node_modules/${name}`]!;
    const purpose = purposeOf(`node_modules/${name}`, []);
    return [name, `\`${range}\``, license!, isPinned ? `${purpose}; pinned` : purpose];
  });
  return alignedTable([['Package', 'Range', 'Licence', 'For'], ...rows]);
}

const chosen = (isWanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(manifest.peerDependencies).filter(([name]) => isWanted(name)));
const required = {
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...chosen(name => !isOptional(name)),
};

/** Returns a table of the packages that the sources import and every installation has. */
export const requiredTable = (): string => namedTable(required);

/** Returns a table of the packages that a configuration may ask for. */
export const optionalTable = (): string => namedTable(chosen(isOptional));

/** Returns a table of what those packages need themselves. */
export function belowRequiredTable(): string {
  const named = Object.keys(required).map(name => `node_modules/${name}`);
  const below = closure(named);
  for (const path of named) below.delete(path);
  return belowTable(below);
}

/** Returns each reason for an exact version, with the packages that have it. */
export const pinReasons = (): string =>
  [...Map.groupBy(Object.keys(pins), name => pins[name]!)]
    .map(([reason, names]) => `- ${names.map(name => `\`${name}\``).join(', ')}: ${reason}.`)
    .join('\n');
