// Builds packages/create, or in place of it the folder that is named: the program, and the templates, which are the examples of this
// repository. Settings and secrets are those of `svc init`, so neither has a second copy.
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { Catalogue, Template } from '../packages/create/src/catalogue.ts';
import { databases, defaultAnswers } from '../src/cli/answers.ts';
import { secretsOf, tomlOf } from '../src/cli/init-files.ts';

const root = join(import.meta.dirname, '..');
const place = resolve(root, process.argv[2] ?? 'packages/create');
const into = join(place, 'templates');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const usual = { origin: defaultAnswers.baseUrl, guarded: '/orders' };

/** The templates, by the name of the option: the example that each is made of, and what its user is told. */
const templates: Record<string, Template & { example: string }> = {
  express: { label: 'Express', example: 'server-rendered', ...usual },
  fastify: { label: 'Fastify', example: 'fastify', ...usual },
  hono: { label: 'Hono', example: 'hono', ...usual },
  nextjs: { label: 'Next.js', example: 'nextjs', origin: 'http://localhost:3000', guarded: '/shop' },
  nestjs: { label: 'NestJS', example: 'nestjs', ...usual },
  none: { label: 'node:http, no framework', example: 'node-http', ...usual },
};

/** The packages that a database needs beside Gatehouse. */
function packagesOf(database: string): Record<string, string> {
  const name = `@mikro-orm/${database}`;
  return name in manifest.peerDependencies ? { [name]: manifest.peerDependencies[name] } : {};
}

/** Returns the file of secrets with places for the secrets, which are made with each project. */
const withoutSecrets = (text: string) =>
  text.replace(
    /^(\w+_(?:SECRET|KEY)=)(.+)$/gm,
    (_, name: string, value: string) => `${name}{{random ${Buffer.from(value, 'base64url').length}}}`,
  );

/** Made by running an example, or about this repository. */
const left = new Set([
  'node_modules',
  'dist',
  '.next',
  'next-env.d.ts',
  '.npmrc',
  'README.md',
  'package-lock.json',
]);
const isLeft = (path: string) =>
  left.has(basename(path)) || /^svc\.(toml|secrets\.env|db.*)$|\.tsbuildinfo$/.test(basename(path));

function writeTemplate(name: string, { example, origin }: { example: string; origin: string }): void {
  const folder = join(into, name);
  cpSync(join(root, 'examples', example), folder, { recursive: true, filter: path => !isLeft(path) });
  const file = join(folder, 'package.json');
  const own = JSON.parse(readFileSync(file, 'utf8'));
  own.dependencies[manifest.name] = `^${manifest.version}`;
  writeFileSync(file, `${JSON.stringify(own, null, 2)}\n`);
  const answers = {
    ...{ ...defaultAnswers, appName: '{{name}}', baseUrl: origin, databaseUrl: '{{database_url}}' },
    features: { ...defaultAnswers.features, enable_ui_router: true },
  };
  // The package of limits comes with Gatehouse, and no feature that needs another one is on.
  writeFileSync(join(folder, 'svc.toml'), tomlOf(answers, { limiter: true }, true));
  writeFileSync(join(folder, 'svc.secrets.env'), withoutSecrets(secretsOf(answers)));
}

async function writeProgram(): Promise<void> {
  const dist = join(place, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await using build = await rolldown({
    ...{ cwd: root, input: { main: 'packages/create/src/main.ts' }, platform: 'node' },
    external: ['@clack/prompts'],
  });
  await build.write({ dir: dist, format: 'esm', chunkFileNames: '[name].js' });
  chmodSync(join(dist, 'main.js'), 0o755);
}

rmSync(into, { recursive: true, force: true });
mkdirSync(into, { recursive: true });
for (const [name, template] of Object.entries(templates)) writeTemplate(name, template);
const catalogue: Catalogue = {
  version: manifest.version,
  templates: Object.fromEntries(
    Object.entries(templates).map(([name, { label, origin, guarded }]) => [name, { label, origin, guarded }]),
  ),
  databases: Object.fromEntries(
    Object.entries(databases).map(([name, { label, url }]) => [
      name,
      { label, url, packages: packagesOf(name) },
    ]),
  ),
};
writeFileSync(join(into, 'catalogue.json'), `${JSON.stringify(catalogue, null, 2)}\n`);
for (const [file, folder] of [
  ['AGENTS.md', into],
  ['LICENSE', place],
] as const)
  cpSync(join(root, file), join(folder, file));
await writeProgram();
