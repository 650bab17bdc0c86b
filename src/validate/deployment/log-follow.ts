import { spawn } from 'node:child_process';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from '../check.ts';
import { type Follower, followerOf, type LogSource } from './log-source.ts';

/** Receives what is written to a log from now on. */
export interface LogSink {
  text(chunk: string): void;
  /** No more lines will arrive, for this reason. */
  ended(reason: string): void;
}

export interface Following {
  close(): void;
}

/** The polling interval of a file, in milliseconds. */
const pollMs = 50;

/** Follows a log until it is closed. @throws {CheckFailure} when it cannot be followed at all */
export function followLog(source: LogSource, sink: LogSink, timeoutMs: number): Promise<Following> {
  return source.kind === 'file'
    ? followFile(source.path, sink)
    : followProgram(followerOf(source, new Date()), sink, timeoutMs);
}

/** Follows a file from its present end on, through truncation and rotation; the file is never read as a whole. */
async function followFile(path: string, sink: LogSink): Promise<Following> {
  let file = await open(path).catch(error => {
    throw new CheckFailure(`The log ${path} can't be read (${error.code}).`);
  });
  if (!(await file.stat()).isFile()) {
    await file.close();
    throw new CheckFailure(`The log ${path} is not a file.`);
  }
  const closing = new AbortController();
  let position = (await file.stat()).size;
  let decoder = new StringDecoder('utf8');

  async function readOn(): Promise<void> {
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      sink.text(decoder.write(buffer.subarray(0, bytesRead)));
    }
  }

  async function turnTo(next: FileHandle): Promise<void> {
    // Records from before the log rotation are still in the old file.
    await readOn();
    await file.close();
    file = next;
    startOver();
  }

  function startOver(): void {
    position = 0;
    decoder = new StringDecoder('utf8');
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      await readOn();
      const [now, own] = await Promise.all([stat(path).catch(() => null), file.stat()]);
      const isTurned = now !== null && (now.ino !== own.ino || now.dev !== own.dev);
      const next = isTurned ? await open(path).catch(() => null) : null;
      if (next) await turnTo(next);
      else if (own.size < position) startOver();
      await sleep(pollMs, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  follow()
    .catch(error => sink.ended(`${path} can no longer be read (${error.code})`))
    .finally(() => file.close());
  return { close: () => closing.abort() };
}

/**
 * Runs the program in a process group of its own, so that Ctrl-C in a terminal does not end it, and its children end with
 * it.
 */
async function followProgram(follower: Follower, sink: LogSink, timeoutMs: number): Promise<Following> {
  const { program, args, ready, both } = follower;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const started = Promise.withResolvers<void>();
  let complaint = '';
  let heard = '';

  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    sink.text(chunk);
    if (ready === undefined || heard.includes(ready)) return;
    heard += chunk;
    if (heard.includes(ready)) started.resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (both) sink.text(chunk);
    complaint = `${complaint}${chunk}`.slice(-1000);
  });
  const reason = () => complaint.trim().split('\n').at(-1) || `${program} printed nothing`;
  child.on('error', (error: NodeJS.ErrnoException) => {
    const missing =
      error.code === 'ENOENT' ? 'is not installed, or not on PATH' : `can't be started (${error.code})`;
    started.reject(new CheckFailure(`${program} ${missing}.`));
  });
  child.on('close', code => {
    const ending = `${program} ended (${code ?? 'by a signal'}): ${reason()}`;
    started.reject(new CheckFailure(`The log can't be followed: ${ending}`));
    sink.ended(ending);
  });
  if (ready === undefined) child.on('spawn', () => started.resolve());

  // In its own group it would outlive this process.
  process.once('exit', close);
  function close(): void {
    process.off('exit', close);
    child.unref();
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      child.kill('SIGTERM');
    }
  }

  const timer = setTimeout(() => {
    started.reject(new CheckFailure(`${program} did not follow the log in time: ${reason()}`));
  }, timeoutMs);
  try {
    await started.promise;
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return { close };
}
