import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { inject, onTestFinished, vi } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { built } from '../support/built.ts';
import { copyInstalled } from '../support/sqlite.ts';

// Starting a process takes as long as the machine takes; no rule here is about that.
vi.setConfig({ testTimeout: 120_000 });

export const jwtSecret = 'a signing secret of the command line tests';

/** An empty folder of one test's own. */
export const emptyFolder = () => mkdtemp(join(inject('temporaryFolder'), 'svc-'));

/** A folder with the database that `svc` uses by default, which has its tables: they are copied in less time than it takes to make them. */
export async function installedFolder(): Promise<string> {
  const folder = await emptyFolder();
  await copyInstalled(join(folder, 'svc.db'));
  return folder;
}

interface Surroundings {
  /** The working directory; one of its own unless it is given. */
  cwd?: string;
  /** Variables beside the signing secret. */
  env?: Record<string, string>;
}

interface ServeSurroundings extends Surroundings {
  /** Gets all that the server writes, too, as a log file does. */
  copyTo?: Writable;
  /** The program; that of this version, as it is built, unless another one is given. */
  program?: string;
  /** Takes what ends it, when others than one test use it. */
  until?: (end: () => void) => void;
}

/** Nothing of a developer's own settings; what Node compiled once serves all processes of a run. */
const variables = (env: Record<string, string> = {}) => ({
  SVC_JWT_SECRET: jwtSecret,
  NODE_COMPILE_CACHE: join(inject('temporaryFolder'), 'compile-cache'),
  ...env,
});

/** How a command ended, and what it wrote. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs `svc` to its end within this process, which takes a hundredth of what a process of its own takes. What a command
 * can tell the difference by is as it would be there: arguments, working directory, environment, output, exit code.
 */
export function svc(args: string[], surroundings: Surroundings = {}): Promise<Outcome> {
  // A process has one working directory and one environment, so commands take turns.
  const outcome = turns.then(() => runHere(args, surroundings));
  turns = outcome.catch(() => {});
  return outcome;
}

let turns: Promise<unknown> = Promise.resolve();

async function runHere(args: string[], { cwd, env }: Surroundings): Promise<Outcome> {
  const outcome = { stdout: '', stderr: '' };
  const former = { cwd: process.cwd(), env: process.env };
  const spies = (['stdout', 'stderr'] as const).flatMap(name => {
    const take = (text: unknown, ...rest: unknown[]) => {
      outcome[name] += text;
      const written = rest.at(-1);
      if (typeof written === 'function') written();
      return true;
    };
    return [
      vi.spyOn(process[name], 'write').mockImplementation(take),
      vi
        .spyOn(console, name === 'stdout' ? 'log' : 'error')
        .mockImplementation(line => void take(`${line}\n`)),
    ];
  });
  process.chdir(cwd ?? (await emptyFolder()));
  process.env = { PATH: process.env.PATH, ...variables(env) };
  try {
    await run(['node', 'svc', ...args]);
    return { code: Number(process.exitCode ?? 0), ...outcome };
  } finally {
    process.exitCode = undefined;
    process.env = former.env;
    process.chdir(former.cwd);
    for (const spy of spies) spy.mockRestore();
  }
}

/** `svc serve` on a free port of loopback, once it says that it listens; ended after the test by default, whatever happens. */
export async function serve(
  args: string[] = [],
  { cwd, env, copyTo, program, until = onTestFinished }: ServeSurroundings = {},
) {
  const child = spawn(process.execPath, [program ?? (await built('svc')), 'serve', '--port', '0', ...args], {
    cwd: cwd ?? (await installedFolder()),
    env: { PATH: process.env.PATH, ...variables(env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  until(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const news = new EventEmitter();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      copyTo?.write(text);
      news.emit('text');
    });
  }

  /** Resolves with the first match, past or future; the test's own timeout bounds it. */
  function written(pattern: RegExp): Promise<RegExpMatchArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
    const look = () => {
      const match = output.match(pattern);
      if (match) resolve(match);
    };
    news.on('text', look);
    ended.then(() => reject(new Error(`it ended before it wrote ${pattern}:\n${output}`)));
    look();
    return promise.finally(() => news.off('text', look));
  }

  const [, origin] = await written(/^listening on (http:\/\/127\.0\.0\.1:\d+)$/m);
  return {
    origin: origin!,
    pid: child.pid!,
    api: `${origin}/api/auth`,
    written,
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** All that it wrote, once it has ended by SIGTERM, and its exit code. */
    async stop() {
      child.kill('SIGTERM');
      return { code: await ended, output };
    },
  };
}

/** The lines of an output that are JSON: those of the log, and not the mails. */
export function logRecords(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}

/** The checks of a configuration, in a folder whose database is migrated unless told otherwise. */
export async function validate(
  env: Record<string, string> = {},
  args: string[] = [],
  { migrated = true } = {},
) {
  const cwd = migrated ? await installedFolder() : await emptyFolder();
  const { code, stdout, stderr } = await svc(['validate', '--json', ...args], { cwd, env });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string; detail: string }[] };
  const of = (name: string) => checks.filter(check => check.name === name);
  return { code, stdout, stderr, checks, of, failed: checks.filter(({ outcome }) => outcome === 'fail') };
}
