import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { inject } from 'vitest';

interface ProgramOptions {
  /** The working directory; files of a configuration are looked for there. */
  cwd: string;
  /** The program, in place of Node. */
  command?: string;
  /** Variables beside PATH, which is all that is inherited: a developer's own settings stay out. */
  env?: Record<string, string>;
  /** Gets all that it writes, too, as a log file does. */
  copyTo?: Writable | undefined;
}

/** How long a line of the output is waited for, unless it takes longer by its nature. */
const usualPatienceMs = 20_000;

/** A program, run by the Node that runs the tests unless it is another one, with what it has written so far. */
export class Program {
  readonly #child: ChildProcess;
  readonly #output = new EventEmitter();
  readonly #exitCode: Promise<number | null>;
  #text = '';

  constructor(args: string[], { cwd, env = {}, copyTo, command = process.execPath }: ProgramOptions) {
    const { PATH = '' } = process.env;
    // Code that Node has compiled once serves all processes of a run.
    const NODE_COMPILE_CACHE = join(inject('temporaryFolder'), 'compile-cache');
    this.#child = spawn(command, args, { cwd, env: { PATH, NODE_COMPILE_CACHE, ...env } });
    this.#child.stdin!.end();
    this.#exitCode = once(this.#child, 'close').then(([code]) => code as number | null);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
        copyTo?.write(text);
        this.#output.emit('text');
      });
    }
  }

  /** Both streams, in the order in which they came. */
  get output(): string {
    return this.#text;
  }

  /** Resolves with the first match, past or future, that begins at or after `from` in the output. */
  async waitFor(pattern: RegExp, from = 0, patienceMs = usualPatienceMs): Promise<RegExpMatchArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
    const look = () => {
      const match = this.#text.slice(from).match(pattern);
      if (match) resolve(match);
    };
    const fail = (why: string) => reject(new Error(`${why} before it wrote ${pattern}:\n${this.#text}`));
    const timer = setTimeout(() => fail(`${patienceMs} ms passed`), patienceMs);
    this.#output.on('text', look);
    this.#exitCode.then(() => fail('the program ended'), reject);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#output.off('text', look);
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Returns its exit code once it has ended by itself, or null when a signal ended it. */
  ended(): Promise<number | null> {
    return this.#exitCode;
  }

  /** Asks it to end by SIGTERM and answers its exit code, or null when a signal ended it. */
  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.#exitCode;
  }

  /** Ends it at once, if it still runs. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exitCode;
  }
}
