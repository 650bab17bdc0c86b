import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isBusy } from './driver-codes.ts';
import type { BetterSqlite3 } from './sqlite-file.ts';
import type { Order, Outcome } from './sqlite-write-back-worker.ts';

/** The length of the log is looked at once in so many storage calls; a look takes five microseconds. */
const callsPerLook = 64;
/** SQLite's own value: from so many pages on, the connection that commits writes them back. */
const automaticPages = 1000;
/** The thread starts before that, so that it is there in time. */
const startPages = automaticPages / 2;
/** From so many pages on, the log is emptied, which delays writers: 64 MiB, of pages of four KiB. */
const mostPages = 16_384;

/** How long the write-ahead log is, and how much of it was written back, in pages. */
interface LogState {
  log: number;
  checkpointed: number;
}

interface WriteBack {
  /** Counts a storage call. */
  count(): void;
  /** Ends the thread, before the connection of the event loop is closed. */
  close(): Promise<void>;
}

/**
 * Has the write-ahead log of a file written back by a worker thread, because the event loop would wait for the disk
 * meanwhile: in a flood of sign-ins the p99 of session checks is 71 % of the bare floor's with the thread, and 183 % without it.
 * The thread starts when the log has grown for the first time. Until then, and whenever it does not run, SQLite
 * writes back as it always does: in the connection that commits.
 */
export function createWriteBack(
  file: string,
  client: BetterSqlite3,
  warn: (fields: object, message: string) => void,
): WriteBack {
  // One that writes nothing back, and returns the state of the log.
  const look = client.prepare('pragma wal_checkpoint(noop)');
  // A log that was long for a while does not occupy the disk for ever.
  client.pragma(`journal_size_limit = ${mostPages * 4096}`);
  let calls = 0;
  let worker: Worker | undefined;
  let ended: Promise<unknown> | undefined;
  let state: 'absent' | 'starting' | 'idle' | 'working' | 'failed' | 'closed' = 'absent';
  let emptyAt = mostPages;
  let isFailing = false;

  const automatic = (pages: number) => client.pragma(`wal_autocheckpoint = ${pages}`);

  function start(): void {
    state = 'starting';
    // Its own file, beside this one: TypeScript in the tests, JavaScript in the package.
    const script = new URL(`./sqlite-write-back-worker${extname(import.meta.url)}`, import.meta.url);
    worker = new Worker(script, {
      ...{ name: 'sqlite-write-back', workerData: file, execArgv: [] },
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 },
    });
    ended = new Promise(resolve => worker!.once('exit', resolve));
    // A process that has nothing else to do may end.
    worker.unref();
    worker.on('message', receive);
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('The worker thread has ended.')));
  }

  function receive(outcome: Outcome | 'ready'): void {
    if (state === 'closed') return;
    state = 'idle';
    if (outcome === 'ready') {
      automatic(0);
      return;
    }
    if (outcome.error !== undefined && !isFailing) {
      warn({ err: outcome.error }, "SQLite's write-ahead log could not be written back");
    }
    isFailing = outcome.error !== undefined;
    if (outcome.order === 'empty') emptyAt = mostPages + remaining(outcome);
  }

  /** Returns how long the log still is after it was to be emptied, in pages, and reports a reader that prevented it. */
  function remaining({ isBusy, log }: Outcome): number {
    if (!isBusy || log < mostPages) return 0;
    warn(
      { pages: log },
      "SQLite's write-ahead log grows, because a program keeps reading an older state of the database",
    );
    return log;
  }

  function fail(err: unknown): void {
    if (state === 'failed' || state === 'closed') return;
    state = 'failed';
    automatic(automaticPages);
    warn(
      { err },
      "SQLite's write-ahead log is written back by the event loop, because the worker thread for it has failed",
    );
  }

  function read(): LogState | null {
    try {
      return look.get() as LogState;
    } catch (error) {
      // Another process is restoring the file; the next look will do.
      if (isBusy(error)) return null;
      throw error;
    }
  }

  function order(): void {
    const length = read();
    if (!length) return;
    const waiting = length.log - length.checkpointed;
    if (state === 'absent') {
      if (waiting < startPages) return;
      try {
        start();
      } catch (error) {
        // Threads may be forbidden (Node's permission model).
        fail(error);
      }
      return;
    }
    const isLong = length.log >= emptyAt;
    if (!isLong && waiting < automaticPages) return;
    state = 'working';
    worker!.postMessage((isLong ? 'empty' : 'write back') satisfies Order);
  }

  return {
    count() {
      if (++calls < callsPerLook) return;
      calls = 0;
      if (state === 'absent' || state === 'idle') order();
    },
    async close() {
      state = 'closed';
      if (!worker) return;
      worker.ref();
      worker.postMessage('end' satisfies Order);
      await ended;
    },
  };
}
