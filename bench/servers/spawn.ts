import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server under measurement, in a process of its own. */
export interface Running {
  url: string;
  /** Asks the process for something by name, and gives its answer. */
  ask<T>(what: string, ...args: unknown[]): Promise<T>;
  /** Resident memory of the process, in MiB. */
  memory(): number;
  /** Processor time that the process and its workers have used, in milliseconds. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/** The servers, by name, and their files. */
const files = {
  gatehouse: 'gatehouse.ts',
  floor: 'floor.ts',
  'floor-http': 'floor-http.ts',
  'floor-yoga': 'floor-yoga.ts',
  'floor-mercurius': 'mercurius/floor-mercurius.ts',
  passport: 'passport.ts',
  'better-auth': 'better-auth.ts',
};

export type ServerName = keyof typeof files;

/** Starts `bench/servers/<name>.ts` and waits until it says where it listens. */
export async function spawnServer(
  name: ServerName,
  options: Record<string, unknown>,
  { processes = 1 } = {},
): Promise<Running> {
  const child = fork(join(import.meta.dirname, processes > 1 ? 'cluster.ts' : files[name]), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      BENCH_SERVER: files[name],
      BENCH_OPTIONS: JSON.stringify(options),
      BENCH_PROCESSES: String(processes),
    },
    execArgv: ['--expose-gc'],
    serialization: 'advanced',
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The server ${name} ended with ${code}`);
  });
  failed.catch(() => {});
  const [{ url }] = await Promise.race([once(child, 'message'), failed]);
  return {
    url,
    async ask(what, ...args) {
      child.send({ what, args });
      const [answer] = await Promise.race([once(child, 'message'), failed]);
      if (answer.error) throw new Error(answer.error);
      return answer.result;
    },
    memory: () => residentMiB(child.pid!),
    cpuMs: () => [child.pid!, ...childrenOf(child.pid!)].reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    stop: () => end(child),
  };
}

/** Resident memory of a process as the system counts it, in MiB. */
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Number(kib) / 1024;
}

/** The time of each thread on a processor, which the kernel counts in nanoseconds (sched-stats in its documentation). */
export function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map(thread =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return times.reduce((sum, time) => sum + time / 1e6, 0);
}

/** proc_pid_task_children(5) */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text ? text.split(' ').map(Number) : [];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
