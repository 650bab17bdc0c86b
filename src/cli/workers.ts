import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { CommandError } from './errors.ts';
import type { Port } from './port.ts';
import { endByHangup, onHangup, waitForSignal } from './signals.ts';
import { createNotifier } from './systemd.ts';
import type { Order, Ready } from './worker.ts';

/**
 * A worker that lived shorter than this, in milliseconds, counts as failed, and the next one waits longer before it starts
 * (backoff).
 */
const soundLifeMs = 10_000;
const shortestPauseMs = 100;
const longestPauseMs = 30_000;
/**
 * How long a stopping worker may take, in milliseconds: ten seconds for its requests and five for its emails; then it is
 * killed.
 */
const stopMs = 20_000;

/**
 * The C library gives each thread that hashes an arena of its own, and each keeps the memory of one hash: four of them, where
 * two suffice. It reads this at the start of a process only.
 */
const allocation = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2' };

/**
 * The space of young objects, in MiB for each half: V8's own bound costs a process two hundred MiB more under load, and each
 * request half as much processor time again (docs/internals/performance.md). A flag of the start that an operator has set stays.
 */
const youngSpace = '--max-semi-space-size=4';

/** Returns the flags with which Node starts a worker. */
const workerFlags = (): string[] =>
  /max[-_]semi[-_]space[-_]size/.test(`${process.execArgv} ${process.env.NODE_OPTIONS}`)
    ? process.execArgv
    : [...process.execArgv, youngSpace];

interface SupervisorOptions {
  count: number;
  logger: Logger;
  /** Opens the port that the workers share, once one of them can serve. */
  open(): Promise<Port>;
  /** Called once, when all of them serve. */
  onReady(url: string): void;
}

/**
 * Runs this same command in `count` processes that share one port, and resolves when all have ended by SIGTERM or SIGINT.
 * One that dies is replaced; SIGHUP replaces all, one after another, each only when its successor serves.
 * @throws {CommandError} when they do not start; the one that failed has printed why
 */
export async function superviseWorkers({ count, logger, open, onReady }: SupervisorOptions): Promise<void> {
  cluster.setupPrimary({ execArgv: workerFlags() });
  const notify = createNotifier(logger);
  const serving = new Map<number, Worker>();
  /** Each worker has its own: one that started later may have another configuration. */
  const shutdownDelays = new WeakMap<Worker, number>();
  /** The ends of workers that were replaced. */
  const ending = new Set<Promise<void>>();
  let port: Port | undefined;
  let stopping = false;
  const stop = waitForSignal(killAll).then(signal => {
    stopping = true;
    return signal;
  });
  const started = Promise.withResolvers<void>();
  let replacing = started.promise;
  onHangup(isTerminalClosed => {
    if (!isTerminalClosed) {
      replacing = replacing.then(replaceAll);
      return;
    }
    killAll();
    endByHangup();
  });

  /** Starts a worker with this number, and ends its predecessor once it serves. Returns false if it ended before. */
  async function start(place: number): Promise<boolean> {
    const worker = cluster.fork({ ...allocation, GATEHOUSE_WORKER: String(place) });
    const ready = await Promise.race([
      once(worker, 'message').then(([message]) => message as Ready),
      once(worker, 'exit').then(() => null),
    ]);
    if (ready === null || stopping) return false;
    shutdownDelays.set(worker, ready.shutdownDelayMs);
    const former = serving.get(place);
    serving.set(place, worker);
    void keep(place, worker);
    port?.add(worker);
    logger.info({ worker: place, pid: worker.process.pid }, 'a worker serves');
    if (former) {
      const end = retire(former).finally(() => ending.delete(end));
      ending.add(end);
      await end;
    }
    return true;
  }

  /** Ends a worker after its successor has started. */
  async function retire(worker: Worker): Promise<void> {
    port?.remove(worker);
    send(worker, { order: 'leave', isReady: true });
    await sleep(shutdownDelays.get(worker) ?? 0);
    await drain(worker);
  }

  /** Replaces the worker with this number when it dies unexpectedly; each failure in a row doubles the wait (backoff). */
  async function keep(place: number, worker: Worker): Promise<void> {
    const startedAt = performance.now();
    const [code, signal] = await once(worker, 'exit');
    if (stopping || serving.get(place) !== worker) return;
    let pause_ms = performance.now() - startedAt < soundLifeMs ? shortestPauseMs : 0;
    do {
      logger.error({ worker: place, code, signal, pause_ms }, 'a worker died and is replaced');
      await Promise.race([sleep(pause_ms), stop]);
      pause_ms = Math.min(Math.max(2 * pause_ms, shortestPauseMs), longestPauseMs);
    } while (!stopping && !(await start(place)));
  }

  /**
   * Starts all workers again, one after another; the first that does not start stops this, and the former ones go on
   * serving.
   */
  async function replaceAll(): Promise<void> {
    if (stopping) return;
    logger.info({}, 'replacing the workers');
    await notify('RELOADING=1');
    await replaceEach();
    if (!stopping) await notify('READY=1');
  }

  async function replaceEach(): Promise<void> {
    for (let place = 1; place <= count && !stopping; place++) {
      if (await start(place)) continue;
      if (!stopping)
        logger.error({ worker: place }, 'a new worker did not start; the others stay as they are');
      return;
    }
    logger.info({}, 'replaced the workers');
  }

  /** Ends all workers: they serve for their shutdown delay, then the port is closed, and they finish their requests. */
  async function endAll(): Promise<void> {
    const workers = [...serving.values()];
    for (const worker of workers) send(worker, { order: 'leave', isReady: false });
    await sleep(Math.max(0, ...workers.map(worker => shutdownDelays.get(worker) ?? 0)));
    await port?.close();
    await Promise.all([...workers.map(drain), ...ending]);
    // The remaining workers are still starting.
    killAll();
  }

  async function startAll(): Promise<string | null> {
    // The first one alone: a failure that would affect all of them is reported once.
    if (!(await start(1))) return null;
    port = await open();
    port.add(serving.get(1)!);
    const others = await Promise.all(Array.from({ length: count - 1 }, (_, i) => start(i + 2)));
    return others.includes(false) ? null : port.url;
  }

  const url = await startAll().catch(error => {
    // Otherwise each worker that is killed here would be replaced.
    stopping = true;
    killAll();
    throw error;
  });
  if (url !== null) {
    started.resolve();
    onReady(url);
    void notify('READY=1');
  } else if (!stopping) {
    stopping = true;
    await port?.close();
    killAll();
    throw new CommandError('The workers could not be started.');
  }

  const signal = await stop;
  logger.info({ signal }, 'stopping');
  void notify('STOPPING=1');
  await endAll();
  logger.info({}, 'stopped');
}

/** Sends an order to a worker. A worker that has just died needs none, so a failure to send is not an error. */
function send(worker: Worker, order: Order): void {
  if (worker.isConnected()) worker.send(order, () => {});
}

/** Makes a worker finish its requests, and waits until it has exited. */
async function drain(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  send(worker, { order: 'drain' });
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(timer);
}

function killAll(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
}
