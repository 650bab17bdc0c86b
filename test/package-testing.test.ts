import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { blocksOf } from './support/documents.ts';
import { installPacked } from './support/packed.ts';

const run = promisify(execFile);

/** A build takes as long as the machine takes; no rule here is about that. */
const buildTimeoutMs = 180_000;

// The suites of docs/testing.md, in a folder in which the package was installed from its tarball.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'package-'));
  await installPacked(folder, ['vitest', 'express']);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const { text } of await blocksOf('docs/testing.md')) {
    const [, name] = /^\/\/ (\S+)\n/.exec(text)!;
    await writeFile(join(folder, name!), text);
  }
}, buildTimeoutMs);

/** The environment of these tests, without the variables that another runner would take for its own. */
const environment = { PATH: process.env.PATH, HOME: process.env.HOME };

test('run under Vitest', async () => {
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--reporter', 'json', '--outputFile', 'result.json'];
  await run(process.execPath, args, { cwd: folder, env: environment });
  const result = await readFile(join(folder, 'result.json'), 'utf8');
  const { numPassedTests, numFailedTests, success } = JSON.parse(result);
  expect({ numPassedTests, numFailedTests, success }).toEqual({
    numPassedTests: 2,
    numFailedTests: 0,
    success: true,
  });
});

test("run under Node's own runner", async () => {
  const args = ['--test', '--test-reporter', 'tap', 'orders.node.js'];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env: environment });
  expect(stdout).toMatch(/^# pass 1$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
