import { execFile } from 'node:child_process';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import type { PartName } from './projects.ts';

// Runs of Vitest as `npm test` has them, of projects that are made up.

const packages = join(import.meta.dirname, '../../node_modules');
const vitest = join(packages, 'vitest/vitest.mjs');

interface MadeUp {
  needs?: PartName[];
  /** The test files; `test` and `expect` are there. */
  files: string[];
}

async function run(projects: Record<string, MadeUp>, env: NodeJS.ProcessEnv = {}) {
  const root = await mkdtemp(join(inject('temporaryFolder'), 'run-'));
  await symlink(packages, join(root, 'node_modules'));
  const own = (name: string) => join(import.meta.dirname, name);
  const config = {
    reporters: [own('summary-reporter.ts')],
    projects: Object.entries(projects).map(([name, { needs = [] }]) => ({
      test: {
        name,
        include: [`${name}-*.test.js`],
        provide: { project: name, needs },
        globalSetup: [own('global-setup.ts')],
        globals: true,
      },
    })),
  };
  await writeFile(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify({ test: config })}`);
  for (const [name, { files }] of Object.entries(projects))
    for (const [i, source] of files.entries()) await writeFile(join(root, `${name}-${i}.test.js`), source);
  const { VITEST: _, CI: __, ...inherited } = process.env;
  return new Promise<{ code: number; output: string; last: string }>(resolve => {
    const options = { cwd: root, env: { ...inherited, ...env } };
    execFile(process.execPath, [vitest, 'run'], options, (error, stdout, stderr) => {
      const output = stripVTControlCharacters(stdout + stderr);
      const last = stripVTControlCharacters(stdout).trim().split('\n').at(-1)!;
      resolve({ code: Number(error?.code ?? 0), output, last });
    });
  });
}

const passing = `test('is right', () => {});`;

/** Where two programs are not to be had. */
const nowhere = { REDIS_SERVER_PATH: '/nowhere/redis', NGINX_PATH: '/nowhere/nginx' };
const wrong = `test('is wrong', () => expect(1).toBe(2)); test.skip('is left out', () => {});`;
const projects: Record<string, MadeUp> = {
  one: { files: [passing, `${passing} ${wrong}`] },
  two: { needs: ['redis', 'nginx'], files: [passing, `throw new Error('does not load');`] },
};
let ended: Awaited<ReturnType<typeof run>>;
beforeAll(async () => {
  ended = await run(projects, nowhere);
});

test('the last line counts the tests of all projects, and files that do not load', () => {
  expect([ended.code, ended.last]).toEqual([1, '3 passed, 2 failed, 1 skipped']);
});

test('projects that need the same server share it, and one without the need starts none', async () => {
  const tell = `import { inject } from 'vitest';
  test('has a server', async ({ annotate }) => {
    await annotate(JSON.stringify(inject('parts')), 'figure');
  });`;
  const { code, output } = await run({
    first: { files: [passing] },
    second: { needs: ['mongodb'], files: [tell] },
    third: { needs: ['mongodb'], files: [tell] },
  });
  expect(code, output).toBe(0);
  const told = output.match(/^\{.*\}$/gm)!.map(line => JSON.parse(line));
  expect(told).toEqual([{ mongodb: { url: expect.any(String) } }, told[0]]);
});

test('a missing program is named at the end, and is a failure where CI is set', async () => {
  expect(ended.output).toMatch(/^Not available, so its tests are skipped: redis: .*\/nowhere\/redis/m);
  expect(ended.output).toMatch(/^Not available, so its tests are skipped: nginx: .*\/nowhere\/nginx/m);

  const there = await run({ only: { ...projects.two, files: [passing] } }, { ...nowhere, CI: 'true' });
  expect([there.code, there.last]).toEqual([1, '0 passed, 1 failed, 0 skipped']);
  expect(there.output).toMatch(/CI is set and not everything that the tests need can be had: \{"redis":/);
});
