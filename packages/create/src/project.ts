import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Catalogue, templatesFolder } from './catalogue.ts';
import { readmeOf } from './readme.ts';

/** A file of the project, by its path in it. */
export interface ProjectFile {
  path: string;
  content: string | Buffer;
  /** Its rights, where they are not those of every new file. */
  mode?: number;
}

/** The choices that make a project. */
export interface Answers {
  target: string;
  template: string;
  database: string;
}

/** Kept out of version control: secrets, the database, and what is installed or built. */
const ignored = [
  'svc.secrets.env',
  '*.db',
  '*.db-*',
  'node_modules/',
  'dist/',
  '.next/',
  'next-env.d.ts',
  '*.tsbuildinfo',
];

/** Only its owner may read the file of secrets. */
const secretMode = 0o600;

/** Returns every file of a project. Nothing is written. */
export function filesOf({ target, template, database }: Answers, catalogue: Catalogue): ProjectFile[] {
  const name = basename(resolve(target));
  const folder = join(templatesFolder, template);
  const { url, packages } = catalogue.databases[database]!;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const dependencies = { ...manifest.dependencies, ...packages };
  const made: ProjectFile[] = [
    {
      path: 'package.json',
      content: json({ ...manifest, name: packageNameOf(name), dependencies: sorted(dependencies) }),
    },
    {
      path: 'svc.toml',
      // A JSON string is a TOML string; the quotes stand in the template.
      content: common('svc.toml', template).replaceAll('{{name}}', () => JSON.stringify(name).slice(1, -1)),
    },
    {
      path: 'svc.secrets.env',
      content: withSecrets(common('svc.secrets.env', template)).replace('{{database_url}}', () => url),
      mode: secretMode,
    },
    { path: '.gitignore', content: `${ignored.join('\n')}\n` },
    { path: 'AGENTS.md', content: readFileSync(join(templatesFolder, 'AGENTS.md')) },
    {
      path: 'README.md',
      content: readmeOf(name, catalogue.templates[template]!, catalogue.databases[database]!),
    },
  ];
  const copied = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(path => !made.some(file => file.path === path));
  return [...made, ...copied.map(path => ({ path, content: readFileSync(join(folder, path)) }))];
}

const common = (file: string, template: string) =>
  readFileSync(join(templatesFolder, template, file), 'utf8');

/** Puts new random values into the places that `svc init` fills, each as long as there. */
const withSecrets = (text: string) =>
  text.replace(/\{\{random (\d+)\}\}/g, (_, bytes) => randomBytes(Number(bytes)).toString('base64url'));

/** Returns a name that npm accepts. */
const packageNameOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '') || 'my-app';

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const sorted = (record: Record<string, string>) =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
