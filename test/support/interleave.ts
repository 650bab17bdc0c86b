import { expect, inject } from 'vitest';
import type { App } from './app.ts';
import type { Backend } from './backends.ts';

/** Thrown by a step, it ends `outer` there, as when its process is killed. */
export class Killed extends Error {}

/**
 * Runs `outer`, and before its storage calls of these numbers (from 0) a whole step, as if other requests came in
 * between; returns how many calls `outer` made. One number after the other gives every order in which two requests can
 * meet, but for those in which they alternate.
 */
export async function interleave(
  { gatehouse: { repositories } }: Pick<App, 'gatehouse'>,
  outer: () => Promise<unknown>,
  steps: Record<number, () => Promise<unknown>>,
): Promise<number> {
  let calls = 0;
  let isOuter = true;
  const failures: unknown[] = [];
  const begun: Promise<unknown>[] = [];
  const restores: (() => void)[] = [];
  for (const repository of Object.values(repositories) as Record<string, unknown>[]) {
    for (const [name, method] of Object.entries(repository)) {
      if (typeof method !== 'function') continue;
      repository[name] = async (...args: unknown[]) => {
        const step = isOuter ? steps[calls++] : undefined;
        if (step) {
          // The calls that come meanwhile are those of the step; `outer` waits.
          isOuter = false;
          // An error in it belongs to the test, not to `outer`.
          const done = step().catch(error => failures.push(error));
          begun.push(done);
          await done;
          isOuter = true;
          if (failures.at(-1) instanceof Killed) throw failures.pop();
        }
        return method(...args);
      };
      restores.push(() => {
        repository[name] = method;
      });
    }
  }
  try {
    await outer();
  } finally {
    // A step may have come in before a call of work after a response, which `outer` does not wait for.
    await Promise.all(begun);

    for (const restore of restores) restore();
  }
  if (failures.length > 0) throw failures[0];
  return calls;
}

/**
 * Has two acts meet at each moment that is tried on a database; `meet` returns how many calls the outer act made. It is told a
 * moment that never comes first: an act that is refused makes fewer calls than one that nobody disturbs. On SQLite, which
 * is quick, every fourth moment is tried, on the servers every sixteenth one, others than on SQLite and
 * on each other, because the order of the calls is the same everywhere; in `npm run test:all` four times as many.
 */
export async function atEachMoment({ name }: Backend, meet: (at: number) => Promise<number>): Promise<void> {
  const isFile = name.startsWith('sqlite');
  const step = (isFile ? 4 : 16) / (inject('tier') === 'all' ? 4 : 1);
  const onServer = name === 'postgresql' ? 1 : 2;
  const calls = await meet(Number.POSITIVE_INFINITY);
  expect(calls, 'an act that calls the database').toBeGreaterThan(0);
  for (let at = isFile ? 0 : onServer; at < calls; at += step) await meet(at);
}
