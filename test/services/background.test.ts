import { expect, test, vi } from 'vitest';
import { Background } from '../../src/domain/background.ts';
import { silent } from '../support/embedded.ts';

/** Drains work of which as much waits for its time as sessions may be in use. */
async function drainWaiting(count: number, work: () => Promise<void>): Promise<void> {
  const background = new Background(silent);
  for (let i = 0; i < count; i++) background.runLater('work', 60_000, work);
  await background.drain();
}

test('work that waits when an instance is closed is done, and not all of it at once', async () => {
  let running = 0;
  let most = 0;
  const work = vi.fn(async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  await drainWaiting(95, work);
  expect(work).toHaveBeenCalledTimes(95);
  expect(most).toBe(10);
});

test('work that waits when an instance is closed holds that up no longer than it takes to fail', async () => {
  const work = vi.fn(() => Promise.reject(new Error('the database hangs')));
  await drainWaiting(95, work);
  expect(work).toHaveBeenCalledTimes(10);
});
