import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, statfs } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder, and processes that work in it, which go when this process ends in any way, SIGKILL included. */
export interface WatchedFolder {
  path: string;
  /** Names the processes to end with this one, in place of those named before. */
  guard(pids: number[]): void;
  /** Deletes the folder now and leaves processes alone. */
  close(): Promise<void>;
}

// The shell's input ends when the process at the other end of the pipe is gone. SIGCONT comes first, as a paused process
// would let the other signal wait.
const watchdog = `
while read -r line; do pids=$line; done
if [ -n "$pids" ]; then kill -CONT $pids; kill -"$2" $pids; sleep 1; fi
rm -rf "$1"
`;

/** What the folders of servers may need together, in bytes. */
const roomForServers = 8 * 2 ** 30;

/**
 * Returns a folder for the data of database servers: in memory where there is plenty, because most of the time they would
 * wait for the disk.
 */
export async function folderForServers(): Promise<string> {
  const memory = '/dev/shm';
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const [, options] = new RegExp(`^\\S+ ${memory} tmpfs (\\S+)`, 'm').exec(mounts) ?? [];
  if (!options || options.split(',').includes('noexec')) return tmpdir();
  const { bavail, bsize } = await statfs(memory);
  return bavail * bsize >= roomForServers ? memory : tmpdir();
}

/** Makes a folder, under the system's temporary folder if no other is named; `signal` is what guarded processes get. */
export async function watchedFolder(
  name: string,
  { signal = 'KILL', within = tmpdir() }: { signal?: 'KILL' | 'QUIT'; within?: string } = {},
): Promise<WatchedFolder> {
  const path = await mkdtemp(join(within, `gatehouse-${name}-`));
  // In a process group of its own, so that Ctrl-C does not reach it.
  const shell = spawn('sh', ['-c', watchdog, 'gatehouse-watchdog', path, signal], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const input = shell.stdin as Socket;
  shell.unref();
  input.unref();
  return {
    path,
    guard: pids => void input.write(`${pids.join(' ')}\n`),
    async close() {
      const exited = once(shell, 'exit');
      shell.ref();
      input.end('\n');
      await exited;
    },
  };
}
