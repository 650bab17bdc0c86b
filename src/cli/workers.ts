import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { CommandError } from './errors.ts';

/** A worker that lived shorter than this did not work, and the next one waits longer before it starts, in milliseconds. */
const soundLifeMs = 10_000;
const shortestPauseMs = 100;
const longestPauseMs = 30_000;
/** A worker lets its requests finish for ten seconds and its mails for five; then it is ended. */
const stopMs = 20_000;

/** The place of this process among the workers, from 1; 0 where there are none. */
export const workerPlace = (): number => (cluster.isWorker ? Number(process.env.GATEHOUSE_WORKER) : 0);

/** Tells the supervisor that this worker serves. */
export function announceReady(url: string): void {
  process.send?.({ url });
}

/** Lets this process end, where it is a worker: its line to the supervisor would keep it. */
export function leaveSupervisor(): void {
  cluster.worker?.disconnect();
}

interface SupervisorOptions {
  count: number;
  logger: Logger;
  /** Called once, when all of them serve. */
  onReady(url: string): void;
}

/**
 * Runs this same command in so many processes that share one port, and resolves when all have ended by SIGTERM or
 * SIGINT. One that dies is replaced; SIGHUP replaces all, one by one, each only when its successor serves.
 * @throws {CommandError} when they don't come up; the one that fails has said why
 */
export async function superviseWorkers({ count, logger, onReady }: SupervisorOptions): Promise<void> {
  const serving = new Map<number, Worker>();
  const stop = Promise.withResolvers<NodeJS.Signals>();
  let stopping = false;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      stopping = true;
      stop.resolve(name);
    });
  }

  /** Starts a worker in a place, and ends the former once it serves; null when it ended before. */
  async function start(place: number): Promise<string | null> {
    const worker = cluster.fork({ GATEHOUSE_WORKER: String(place) });
    const url = await Promise.race([
      once(worker, 'message').then(([message]) => (message as { url: string }).url),
      once(worker, 'exit').then(() => null),
    ]);
    if (url === null) return null;
    logger.info({ worker: place, pid: worker.process.pid }, 'a worker serves');
    const former = serving.get(place);
    serving.set(place, worker);
    void keep(place, worker);
    if (former) await end(former);
    return url;
  }

  /** Replaces the worker of a place when it dies unasked; each failure in a row doubles the wait. */
  async function keep(place: number, worker: Worker): Promise<void> {
    const startedAt = performance.now();
    const [code, signal] = await once(worker, 'exit');
    if (stopping || serving.get(place) !== worker) return;
    let pause_ms = performance.now() - startedAt < soundLifeMs ? shortestPauseMs : 0;
    do {
      logger.error({ worker: place, code, signal, pause_ms }, 'a worker died and is replaced');
      await Promise.race([sleep(pause_ms), stop.promise]);
      pause_ms = Math.min(Math.max(2 * pause_ms, shortestPauseMs), longestPauseMs);
    } while (!stopping && (await start(place)) === null);
  }

  /** Starts all anew, one by one; the first that does not come up ends it, and what served before serves on. */
  async function replaceAll(): Promise<void> {
    logger.info({}, 'replacing the workers');
    for (let place = 1; place <= count && !stopping; place++) {
      if ((await start(place)) !== null) continue;
      if (!stopping)
        logger.error({ worker: place }, 'a new worker did not start; the others stay as they are');
      return;
    }
    logger.info({}, 'replaced the workers');
  }

  async function endAll(): Promise<void> {
    await Promise.all(Object.values(cluster.workers ?? {}).map(worker => worker && end(worker)));
  }

  // The first alone: what keeps it from starting would keep all, and is said once.
  const urls = [await start(1)];
  if (urls[0]) urls.push(...(await Promise.all(Array.from({ length: count - 1 }, (_, i) => start(i + 2)))));
  const [url] = urls;
  if (url && !urls.includes(null)) {
    let replacing: Promise<void> | undefined;
    process.on('SIGHUP', () => {
      replacing = (replacing ?? Promise.resolve()).then(replaceAll);
    });
    onReady(url);
  } else if (!stopping) {
    stopping = true;
    await endAll();
    throw new CommandError('The workers could not be started.');
  }

  const signal = await stop.promise;
  logger.info({ signal }, 'stopping');
  await endAll();
  logger.info({}, 'stopped');
}

/** Asks a worker to finish, and waits until it has. */
async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(timer);
}
