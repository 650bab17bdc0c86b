import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import type { Logger } from '../logger.ts';

/** How much nicer than the process the threads that hash are; see docs/architecture.md. */
const nicer = 3;

/** Linux lists the threads of this process here, with their names. */
const threads = '/proc/self/task';

/**
 * Lowers the priority of libuv's threads, on Linux, where a thread has one of its own: the event loop does not wait for a core
 * while they hash, so a flood of sign-ins delays other requests less. They must have begun to work. A system that refuses is
 * left as it is: it only serves a little less smoothly.
 */
export function lowerPoolPriority(logger: Pick<Logger, 'debug'>): void {
  if (process.platform !== 'linux') return;
  try {
    const niceness = Math.min(getPriority() + nicer, constants.priority.PRIORITY_LOW);
    for (const thread of readdirSync(threads)) if (isOfPool(thread)) setPriority(Number(thread), niceness);
  } catch (err) {
    logger.debug({ err }, 'the threads that hash keep their priority');
  }
}

/** Of another thread, the file may have gone since it was listed. */
function isOfPool(thread: string): boolean {
  const file = `${threads}/${thread}/comm`;
  return existsSync(file) && readFileSync(file, 'utf8').trim() === 'libuv-worker';
}
