import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alignedTable } from '../../src/config/describe.ts';
import { bundledPackages } from '../bundle.ts';

const root = join(import.meta.dirname, '../..');

/** What each package is for that the sources import, or whose types the declarations name. */
const purposes: Record<string, string> = {
  '@clack/prompts': 'questions of `svc init` and `svc oauth-setup`',
  '@decimalturn/toml-patch': 'reads and changes `svc.toml`',
  '@mikro-orm/core': 'ORM; PostgreSQL and MongoDB use it, and the types of stored records name it',
  '@mikro-orm/migrations': 'base class of the migrations, on PostgreSQL',
  '@mikro-orm/sql': 'ORM on SQL databases; PostgreSQL uses it',
  '@mikro-orm/sqlite': 'ORM on SQLite',
  '@pothos/core': 'builds the GraphQL schema',
  '@pothos/plugin-complexity': 'limits the complexity of GraphQL documents',
  '@pothos/plugin-scope-auth': 'decides who may read a GraphQL field',
  argon2: 'password hashes',
  bcrypt: 'imported password hashes',
  'better-sqlite3': 'driver of SQLite',
  bowser: 'names of browsers in the list of sessions',
  commander: 'commands and options of `svc`',
  graphql: 'GraphQL itself; shared with the tools of a host',
  'graphql-yoga': 'GraphQL over HTTP',
  liquidjs: 'templates of pages and emails',
  negotiator: 'languages and encodings that a client accepts',
  nodemailer: 'emails by SMTP',
  pino: 'log of `svc serve`',
  'postal-mime': '`svc validate` reads the emails that it has sent',
  'proxy-addr': 'addresses of clients behind proxies',
  'raw-body': 'reads bodies within their limit',
  uqr: 'QR codes of authenticator apps',
  uuid: 'ids',
  zod: 'checks of input; the types of the configuration name it',
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

function table(found: Map<string, string[]>): string {
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

/** Returns a table of the packages that an installation has, without optional ones. */
export const installedTable = (): string => table(closure(needsOf('')));

/** Returns a table of the packages whose code is in the bundle. */
export async function bundledTable(): Promise<string> {
  const bundled = await bundledPackages();
  const all = closure(bundled);
  return table(
    new Map(
      bundled.map(path => [path, all.get(path)!.filter(name => bundled.some(p => nameOf(p) === name))]),
    ),
  );
}

/** Returns the licences of the packages in the bundle, each text once. */
export async function bundledLicences(): Promise<string> {
  const holders = new Map<string, string[]>();
  for (const path of await bundledPackages()) {
    const file = readdirSync(join(root, path)).find(name => /^licen[cs]e/i.test(name));
    const { license } = packages[path]!;
    const text = file
      ? readFileSync(join(root, path, file), 'utf8')
          .replaceAll('\r', '')
          .trim()
      : `Its package has no text of its licence, which it declares as ${license}.`;
    holders.set(text, [...(holders.get(text) ?? []), `\`${nameOf(path)}\` ${packages[path]!.version}`]);
  }
  return [...holders]
    .map(
      ([text, names]) => `### ${names.join(', ')}\n\n${text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')}`,
    )
    .join('\n\n');
}
