import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { built } from '../support/built.ts';
import { emptyFolder, svc } from './support.ts';

/** Runs in the process before the command, and kills it at a certain step of its writing, as a power cut would. */
const killer = `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
let left = Number(process.env.STEP);
const step = () => left-- === 0 && process.kill(process.pid, 'SIGKILL');
const stepping = (object, name) => {
  const real = object[name].bind(object);
  object[name] = async (...args) => {
    step();
    const result = await real(...args);
    step();
    return result;
  };
};
const { open } = fs;
fs.open = async (...args) => {
  const file = await open(...args);
  stepping(file, 'writeFile');
  return file;
};
stepping(fs, 'rename');
syncBuiltinESMExports();
`;
/** Of each file: before and after it is written, then renamed. */
const stepsOf = (files: number) => Array.from({ length: 4 * files }, (_, step) => step);

async function killedAt(step: number, cwd: string, args: string[]): Promise<NodeJS.Signals | null> {
  const preload = join(await emptyFolder(), 'killer.mjs');
  await writeFile(preload, killer);
  const child = spawn(process.execPath, ['--import', preload, await built('svc'), ...args], {
    cwd,
    env: { PATH: process.env.PATH, STEP: String(step) },
    stdio: 'ignore',
  });
  const [, signal] = await once(child, 'exit');
  return signal;
}

const read = (cwd: string) =>
  Promise.all(['svc.toml', 'svc.secrets.env'].map(name => readFile(join(cwd, name), 'utf8')));

test.each([
  // The former secrets, and the two files.
  ['init', 3, ['init', '--yes', '--force']],
  ['oauth setup', 2, ['oauth', 'setup', '--headless', '--client-id=acme', '--client-secret=hunter2']],
])('%s leaves a whole configuration, whenever it is killed', async (_, files, args) => {
  const steps = stepsOf(files);
  const folders = await Promise.all(
    steps.map(async () => {
      const cwd = await emptyFolder();
      await svc(['init', '--yes'], { cwd });
      return cwd;
    }),
  );
  const before = await Promise.all(folders.map(read));
  // Two at a time, as a small machine has two cores.
  const signals: (NodeJS.Signals | null)[] = [];
  for (let i = 0; i < steps.length; i += 2) {
    signals.push(...(await Promise.all([i, i + 1].map(step => killedAt(step, folders[step]!, args)))));
  }
  expect(new Set(signals)).toEqual(new Set(['SIGKILL']));

  for (const [step, cwd] of folders.entries()) {
    // Old or new, each file is whole: it ends as in a run without a kill, and the two go together.
    const { config, filesRead } = loadConfig({ cwd, env: {} });
    expect(filesRead).toHaveLength(2);
    const [toml, secrets] = await read(cwd);
    expect(toml).toMatch(/^from_address = "noreply@localhost"$/m);
    expect(toml).toMatch(/\n# scopes = \{ [^\n]* \}\n(\n\[oauth\]\n[^[]*\n)?$/);
    expect(config.jwtSecret.reveal()).toHaveLength(86);
    if (step === 0) expect([toml, secrets]).toEqual(before[step]);
  }
});
