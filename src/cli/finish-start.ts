import { flushCompileCache } from 'node:module';

/** How long after the start its remains are dealt with, in milliseconds: the first requests come at once. */
const afterMs = 1000;

/** Keeps compiled code, a moment after the start: a server that is killed writes nothing when it ends. */
export function finishStart(): void {
  setTimeout(() => flushCompileCache(), afterMs).unref();
}
