import { spawn } from 'node:child_process';

/** How long one run may take, in milliseconds. Its output until then counts. */
const runMs = 10_000;
/** The most that is read of its output, in bytes. */
const outputLimit = 10 * 1024 * 1024;

interface Run {
  output: Buffer;
  /** Why it failed, in the last words of its error output; null when it did not. */
  complaint: string | null;
}

/**
 * Runs a command in a shell, with the address as `$1`, and returns what it prints. It runs in a process group of its own,
 * so that all processes that it started end with it.
 */
export async function runForOutput(command: string, address: string, signal: AbortSignal): Promise<Run> {
  const child = spawn('sh', ['-c', command, 'sh', address], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const chunks: Buffer[] = [];
  let size = 0;
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > outputLimit) return end();
    chunks.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-1000);
  });

  function end(): void {
    // A process that it started in another group may hold them open.
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      child.kill('SIGTERM');
    }
  }
  const { promise, resolve } = Promise.withResolvers<number | string>();
  child.on('error', error => resolve(error.message));
  child.on('close', code => resolve(code ?? 0));
  const timer = setTimeout(end, runMs);
  signal.addEventListener('abort', end);
  process.once('exit', end);
  const ending = await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  process.off('exit', end);
  const lastWords = said.trim().split('\n').at(-1) || 'it printed nothing';
  const complaint = ending === 0 ? null : `the command of --mailbox ended with ${ending}: ${lastWords}`;
  return { output: Buffer.concat(chunks), complaint };
}
