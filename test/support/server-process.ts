import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { WatchedFolder } from './watched-folder.ts';

/** How to run a database server in the foreground. */
export interface ServerProgram {
  command: string;
  args: string[];
  /** The log line after which the server takes connections. */
  readyLine: RegExp;
  stopSignal: NodeJS.Signals;
  /** Ends the server at once, leaving nothing behind in the operating system. */
  abortSignal: NodeJS.Signals;
  /** The account to run as, when it is not ours. */
  account?: { uid: number; gid: number };
}

const startTimeoutMs = 30_000;
const restartTimeoutMs = 30_000;
const retryMs = 200;

/** A database server as a child process, with its worker processes. */
export class ServerProcess {
  readonly #program: ServerProgram;
  readonly #folder: WatchedFolder;
  #child: ChildProcess | undefined;
  #log = '';
  readonly #output = new EventEmitter();

  /** `folder` is where the server keeps its data. */
  constructor(program: ServerProgram, folder: WatchedFolder) {
    this.#program = program;
    this.#folder = folder;
  }

  /** Runs the server until it takes connections; tries again while its forerunner still holds on to something. */
  async start(): Promise<void> {
    const deadline = Date.now() + restartTimeoutMs;
    for (;;) {
      try {
        return await this.#startOnce();
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise(resolve => setTimeout(resolve, retryMs));
      }
    }
  }

  /** The end of what the server has written since its last start. */
  get output(): string {
    return this.#log;
  }

  /** Resolves once the log, since the server's last start, has a match for `pattern`. */
  logged(pattern: RegExp): Promise<void> {
    const child = this.#running();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => pattern.test(this.#log) && resolve();
    const fail = () => reject(new Error(`${this.#program.command} ended early:\n${this.#log.slice(-2000)}`));
    const late = () => reject(new Error(`${this.#program.command} never logged ${pattern}`));
    const timer = setTimeout(late, startTimeoutMs);
    this.#output.on('line', look);
    child.once('error', reject);
    child.once('close', fail);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#output.off('line', look);
      child.off('error', reject);
      child.off('close', fail);
    });
  }

  /** Shuts the server down in good order; its data stay. */
  stop(): Promise<void> {
    return this.#end([this.#running().pid!], this.#program.stopSignal);
  }

  /** Ends the server and its workers by SIGKILL; its data stay. */
  kill(): Promise<void> {
    return this.#end(this.#freeze(), 'SIGKILL');
  }

  /** Stops all of the server's processes from running, so that it hangs with its connections open. */
  pause(): void {
    this.#folder.guard(this.#freeze());
  }

  /** Undoes `pause`. */
  resume(): void {
    send(this.#tree(), 'SIGCONT');
  }

  /** Ends the server and deletes its data. */
  async close(): Promise<void> {
    if (this.#child) {
      this.resume();
      await this.#end([this.#running().pid!], this.#program.abortSignal);
    }
    await this.#folder.close();
  }

  async #startOnce(): Promise<void> {
    const { command, args, account, readyLine } = this.#program;
    // In a process group of its own, so that Ctrl-C ends the tests before their servers.
    const child = spawn(command, args, { ...account, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#log = '';
    const collect = (text: string) => {
      this.#log = (this.#log + text).slice(-100_000);
      this.#output.emit('line');
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('close', () => {
      if (this.#child === child) this.#child = undefined;
    });
    if (child.pid) this.#folder.guard([child.pid]);
    await this.logged(readyLine);
  }

  async #end(pids: number[], signal: NodeJS.Signals): Promise<void> {
    const closed = once(this.#running(), 'close');
    send(pids, signal);
    await closed;
    this.#folder.guard([]);
  }

  #running(): ChildProcess {
    if (!this.#child) throw new Error(`${this.#program.command} is not running`);
    return this.#child;
  }

  #freeze(): number[] {
    // The main process first: it starts no worker behind our back then.
    send([this.#running().pid!], 'SIGSTOP');
    const pids = this.#tree();
    send(pids, 'SIGSTOP');
    // A thread that runs on another core may answer one more request before it stops.
    while (!pids.every(isStopped)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    return pids;
  }

  #tree(): number[] {
    const main = this.#running().pid!;
    return [main, ...childrenOf(main)];
  }
}

/** Finds a free TCP port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function send(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether no thread of the process runs any more, where the system tells. */
function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.every(thread => /^[TtZX]$/.test(stateOf(`${pid}/task/${thread}`).state));
  } catch {
    return true; // It has just ended.
  }
}

/** proc_pid_stat(5): state and parent follow the command, which may itself hold parentheses. */
function stateOf(task: string): { state: string; parent: number } {
  const stat = readFileSync(`/proc/${task}/stat`, 'utf8');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: state!, parent: Number(parent) };
}

function childrenOf(parent: number): number[] {
  const table = process.platform === 'linux' ? readProcessTable() : askProcessTable();
  return table.filter(row => row.parent === parent).map(row => row.pid);
}

// Small images have no `ps`.
function readProcessTable(): { pid: number; parent: number }[] {
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [{ pid: Number(name), parent: stateOf(name).parent }];
    } catch {
      return []; // It has just ended.
    }
  });
}

function askProcessTable(): { pid: number; parent: number }[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return rows.map(row => {
    const [pid, parent] = row.trim().split(/\s+/).map(Number);
    return { pid: pid!, parent: parent! };
  });
}
