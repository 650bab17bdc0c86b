import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import own from '../../packages/create/package.json' with { type: 'json' };
import { writeProject } from '../../packages/create/src/write.ts';
import { loadConfig } from '../../src/config/load.ts';
import { buildCreate, packCreate } from '../support/created.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const read = (...path: string[]) => readFile(join(...path), 'utf8');

let program: string;
beforeAll(async () => {
  program = join(await buildCreate(), 'dist/main.js');
});

const emptyFolder = () => mkdtemp(join(inject('temporaryFolder'), 'created-'));

/** Runs the command where every new file would be readable by everybody. */
async function create(cwd: string, args: string[], before: string[] = []) {
  const shell = 'umask 0; exec "$@"';
  const command = ['-c', shell, 'sh', process.execPath, ...before, program, ...args];
  const env = { PATH: process.env.PATH };
  const { stdout, stderr, code } = await run('sh', command, { cwd, env }).then(
    said => ({ ...said, code: 0 }),
    error => error as { stdout: string; stderr: string; code: number },
  );
  return { stdout, stderr, code };
}

/** Returns the paths of all files below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => !entry.isDirectory());
  return files.map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

const templates = {
  express: ['app.js', 'orders.test.js', 'public/sign-out.js', 'server.js'],
  fastify: ['app.js', 'orders.test.js', 'server.js'],
  hono: ['app.js', 'orders.test.js', 'server.js'],
  nextjs: [
    ...['app/account/[[...path]]/route.ts', 'app/accounts.tsx', 'app/api/auth/[...path]/route.ts'],
    ...['app/layout.tsx', 'app/orders/route.ts', 'app/page.tsx', 'app/shop/basket/route.ts'],
    ...['app/shop/page.tsx', 'app/shop/sign-out.tsx', 'app/svc-static/[...path]/route.ts'],
    ...['lib/baskets.ts', 'lib/gatehouse.ts', 'next.config.ts', 'orders.test.ts', 'tsconfig.json'],
  ],
  nestjs: ['app.ts', 'main.ts', 'orders.test.ts', 'tsconfig.json'],
  none: ['app.js', 'orders.test.js', 'server.js'],
};
const always = [
  ...['.env.development', '.gitignore', 'AGENTS.md', 'README.md', 'package.json'],
  ...['svc.secrets.env', 'svc.toml'],
];

describe.each(Object.entries(templates))('--template %s --yes', (template, files) => {
  let parent: string;
  let folder: string;
  let said: Awaited<ReturnType<typeof create>>;
  beforeAll(async () => {
    parent = await emptyFolder();
    folder = join(parent, 'my-shop');
    said = await create(parent, ['my-shop', '--template', template, '--yes']);
  });

  test('asks nothing, and says the next command', () => {
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout).toContain('Next: cd my-shop && npm install && npm run dev\n');
  });

  test('writes the files of the example and its own, and nothing outside of the folder', async () => {
    expect(await filesIn(folder)).toEqual([...always, ...files].sort());
    expect(await readdir(parent)).toEqual(['my-shop']);
    for (const path of await filesIn(folder)) {
      const text = await read(folder, path);
      expect([path, text.match(/\{\{|\.\.\/\.\.\/docs|file:/)?.[0]]).toEqual([path, undefined]);
    }
  });

  test('depends on this release, and has commands to start and to test it', async () => {
    const { name, dependencies, scripts } = JSON.parse(await read(folder, 'package.json'));
    expect(name).toBe('my-shop');
    expect(dependencies).toMatchObject({ 'gatehouse-auth': `^${manifest.version}` });
    expect(scripts).toMatchObject({
      dev: expect.any(String),
      start: expect.any(String),
      test: expect.any(String),
    });
  });

  test('keeps its secrets in a file that only its owner can read, and that git ignores', async () => {
    const { config } = loadConfig({ cwd: folder, env: {} });
    const secrets = [config.jwtSecret.reveal(), config.dataEncryptionKey!.reveal()];
    for (const path of await filesIn(folder)) {
      const text = await read(folder, path);
      const hasSecret = secrets.some(secret => text.includes(secret));
      const { mode } = await stat(join(folder, path));
      expect([path, hasSecret, mode & 0o777]).toEqual(
        path === 'svc.secrets.env' ? [path, true, 0o600] : [path, false, 0o666],
      );
    }
    expect((await read(folder, '.gitignore')).split('\n')).toContain('svc.secrets.env');
  });

  test('tells people and coding agents how to go on', async () => {
    expect(await read(folder, 'AGENTS.md')).toBe(await read(root, 'AGENTS.md'));
    const readme = (await read(folder, 'README.md')).trim().split('\n');
    expect(readme[0]).toBe('# my-shop');
    expect(readme.length).toBeLessThanOrEqual(22);
  });
});

test('writes the settings and secrets of svc init, in the name of the folder and with its pages on', async () => {
  const cwd = await emptyFolder();
  await create(cwd, ['My "shop"', '--yes']);
  const folder = join(cwd, 'My "shop"');
  await writeFile(join(cwd, 'package.json'), '{}');
  await run(process.execPath, [join(root, 'src/cli/main.ts'), 'init', '--yes'], { cwd });
  const expected = (await read(cwd, 'svc.toml'))
    .replace('app_name = "Gatehouse"', 'app_name = "My \\"shop\\""')
    .replace('enable_ui_router = false', 'enable_ui_router = true')
    // Its package is installed here, and not in a new project.
    .replace(
      /^enable_passkeys = true$/m,
      '# Passkeys: npm install @simplewebauthn/server, then take the # away.\n# $&',
    );
  expect(await read(folder, 'svc.toml')).toBe(expected);
  expect(loadConfig({ cwd: folder, env: {} }).config.appName).toBe('My "shop"');
  expect(JSON.parse(await read(folder, 'package.json')).name).toBe('my-shop');
  const shape = (text: string) => text.replace(/^(\w+_(?:SECRET|KEY)=)(.*)$/gm, (_, n, v) => n + v.length);
  expect(shape(await read(folder, 'svc.secrets.env'))).toBe(shape(await read(cwd, 'svc.secrets.env')));
});

test('makes new secrets for each project', async () => {
  const cwd = await emptyFolder();
  for (const name of ['one', 'two']) await create(cwd, [name, '--yes']);
  const [one, two] = await Promise.all(['one', 'two'].map(name => read(cwd, name, 'svc.secrets.env')));
  const values = (text: string) => [...text.matchAll(/_(?:SECRET|KEY)=(.+)/g)].map(([, value]) => value);
  expect(values(one!)).toHaveLength(2);
  expect(values(one!).filter(value => values(two!).includes(value))).toEqual([]);
});

test.each([
  ['sqlite', {}, 'sqlite:///./svc.db'],
  ['postgresql', { '@mikro-orm/postgresql': '7.2.1' }, 'postgresql://svc:PASSWORD@localhost:5432/svc'],
  ['mongodb', { '@mikro-orm/mongodb': '7.2.1' }, 'mongodb://localhost:27017/svc'],
])('--database %s brings its package and an address', async (database, packages, url) => {
  const cwd = await emptyFolder();
  const { stdout } = await create(cwd, ['shop', '--template', 'none', '--database', database, '--yes']);
  expect(stdout.includes('address of your database')).toBe(database !== 'sqlite');
  const { dependencies } = JSON.parse(await read(cwd, 'shop/package.json'));
  expect(dependencies).toEqual({ ...packages, 'gatehouse-auth': `^${manifest.version}` });
  expect(await read(cwd, 'shop/svc.secrets.env')).toContain(`SVC_DATABASE_URL=${url}\n`);
});

test.each([['.'], ['deep/er/shop']])('takes the folder %s', async target => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, '.git'));
  const { stdout, code } = await create(cwd, [target, '--template', 'none', '--yes']);
  expect([code, /cd /.test(stdout)]).toEqual([0, target !== '.']);
  expect(await filesIn(join(cwd, target))).toEqual([...always, ...templates.none].sort());
});

const list = 'express, fastify, hono, nextjs, nestjs, none';
test.each([
  [['full', '--yes'], 'The folder full is not empty. Name another one.'],
  [['full/file', '--yes'], 'full/file is not a folder. Name another one.'],
  [['full/file/shop', '--yes'], 'full/file/shop is not a folder. Name another one.'],
  [['shop', '--template', 'rails'], `--template is ${list}; there is no "rails".`],
  [['shop', '--template', '__proto__'], `--template is ${list}; there is no "__proto__".`],
  [['shop', '--database', 'oracle'], '--database is sqlite, postgresql, mongodb; there is no "oracle".'],
  [['shop', '--fast'], "Unknown option '--fast'. --help lists the options."],
  [['one', 'two', '--yes'], 'One folder is enough, and these are 2: one, two.'],
  [['', '--yes'], 'The name of the folder is empty.'],
  [['shop'], 'There is no terminal to ask in: add --yes, and --template and --database if you like.'],
])('%j is refused in one line', async (args, line) => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'full'));
  await writeFile(join(cwd, 'full/file'), '');
  expect(await create(cwd, args)).toEqual({ code: 1, stdout: '', stderr: `${line}\n` });
  expect(await filesIn(cwd)).toEqual(['full/file']);
});

test.each([['new'], ['in/new'], ['empty']])('a failed write to %s leaves nothing', async name => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'empty'));
  const files = ['secret', 'b/c', 'b'].map(path => ({ path, content: 'text' }));
  const written = writeProject(join(cwd, name), files);
  await expect(written).rejects.toThrow(/can't be written \(\w+\)\. Nothing of it was kept\.$/);
  expect(await readdir(cwd, { recursive: true })).toEqual(['empty']);
});

test('a Node that is too old is told in one line', async () => {
  const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.17.9'}})`;
  expect(await create(await emptyFolder(), ['shop', '--yes'], ['--import', older])).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: 'create-gatehouse-auth needs Node 22.18 or newer; this is Node 22.17.9.\n',
  });
});

test('--help and --version tell, and write nothing', async () => {
  const cwd = await emptyFolder();
  expect((await create(cwd, ['--help'])).stdout).toContain(list);
  expect((await create(cwd, ['--version'])).stdout).toBe(`${manifest.version}\n`);
  expect(await readdir(cwd)).toEqual([]);
});

test('the package goes with its release of Gatehouse, and holds the program and the templates alone', async () => {
  expect(own).toMatchObject({
    version: manifest.version,
    engines: manifest.engines,
    publishConfig: manifest.publishConfig,
    dependencies: { '@clack/prompts': manifest.dependencies['@clack/prompts'] },
  });
  const { files } = await packCreate();
  const kinds = /^(dist\/\w+\.js|templates\/.+|README\.md|LICENSE|package\.json)$/;
  expect(files.filter(path => !kinds.test(path))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'templates/express/.env.development']));
});
