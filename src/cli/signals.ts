import { isatty } from 'node:tty';
import type { Logger } from '../logger.ts';

/** The standard streams, any of which may be a terminal. */
const streams = [0, 1, 2];

/** Calls the handler at SIGHUP, which no longer ends the process by itself, with whether the terminal was closed. */
export function onHangup(handler: (isTerminalClosed: boolean) => void): void {
  const terminals = streams.filter(stream => isatty(stream));
  process.on('SIGHUP', () => handler(terminals.length > 0 && !terminals.some(stream => isatty(stream))));
}

/** Ends the process as an unhandled SIGHUP does: after its terminal was closed, it could not be ended from there. */
export function endByHangup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** Ignores all signals: the supervisor, which may receive the same ones, tells this worker what to do. */
export function ignoreSignals(): void {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
}

/** Keeps SIGHUP from ending a process without workers, from now on. */
export function surviveHangup(logger: Logger): void {
  onHangup(isTerminalClosed => {
    if (isTerminalClosed) return endByHangup();
    logger.warn(
      {},
      'SIGHUP has no effect without --workers: restart the process to read the configuration again',
    );
  });
}

/**
 * Resolves with the first signal to stop. A second one ends the process at once.
 * @param beforeEnd does what is left to do then
 */
export function waitForSignal(beforeEnd: () => void = () => {}): Promise<NodeJS.Signals> {
  const names = ['SIGTERM', 'SIGINT'] as const;
  return new Promise(resolve => {
    const stop = (first: NodeJS.Signals) => {
      for (const name of names) {
        process.off(name, stop);
        process.once(name, () => {
          beforeEnd();
          for (const each of names) process.removeAllListeners(each);
          process.kill(process.pid, name);
        });
      }
      resolve(first);
    };
    for (const name of names) process.on(name, stop);
  });
}
