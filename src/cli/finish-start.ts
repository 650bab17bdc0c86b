import { flushCompileCache } from 'node:module';
import type { Logger } from '../logger.ts';
import { boundYoungSpace, releaseStartMemory } from './memory.ts';
import { lowerPoolPriority } from './pool-priority.ts';

/** How long after the start its remains are dealt with, in milliseconds: the first requests come at once. */
const afterMs = 1000;

/** Does, a moment later, what a start leaves to do. It takes some fifty milliseconds, once. */
export function finishStart(logger: Logger): void {
  setTimeout(() => {
    // A server that is killed writes nothing when it ends.
    flushCompileCache();
    releaseStartMemory();
    boundYoungSpace();
    lowerPoolPriority(logger);
  }, afterMs).unref();
}
