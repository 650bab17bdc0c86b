import { expect, test, vi } from 'vitest';
import { Background } from '../../src/domain/background.ts';
import { GatehouseError } from '../../src/errors.ts';
import type { Logger } from '../../src/logger.ts';
import { LateAnswer } from '../../src/storage/errors.ts';
import { silent } from '../support/embedded.ts';

/** Drains work of which as much waits for its time as sessions may be in use. */
async function drainWaiting(
  count: number,
  work: () => Promise<void>,
  logger: Logger = silent,
): Promise<void> {
  const background = new Background(logger);
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

test('while the database is late, it holds that up no longer than each of them waits, and says how much was left out', async () => {
  const warned: object[] = [];
  const logger = { ...silent, warn: (fields: object) => void warned.push(fields) };
  const work = vi.fn(() => Promise.reject(new GatehouseError('unavailable', { cause: new LateAnswer() })));
  await drainWaiting(95, work, logger);
  expect(work).toHaveBeenCalledTimes(10);
  expect(warned).toEqual([{ left_out: 85 }]);
});

test('a failure of one leaves out no other', async () => {
  const work = vi.fn(() => Promise.reject(new Error('the database is busy')));
  await drainWaiting(95, work);
  expect(work).toHaveBeenCalledTimes(95);
});

test('behind a late answer, a failed request is undone after its response, and again later or when the instance is closed', async () => {
  const background = new Background(silent);
  const late = new GatehouseError('unavailable', { cause: new LateAnswer() });
  const work = vi.fn(async () => {});
  await background.undo('work', undefined, late, work);
  expect(work).not.toHaveBeenCalled();
  await background.settled();
  expect(work).toHaveBeenCalledTimes(1);
  await background.drain();
  expect(work).toHaveBeenCalledTimes(3);
});

test('while the database answers, a failed request is undone at once, and later only where that has failed', async () => {
  const background = new Background(silent);
  const work = vi.fn(async () => {});
  await background.undo('work', undefined, new Error('refused'), work);
  await background.settled();
  expect(work).toHaveBeenCalledTimes(1);
  work.mockRejectedValueOnce(new Error('the database is away'));
  await background.undo('work', undefined, new Error('refused'), work);
  await background.settled();
  expect(work).toHaveBeenCalledTimes(3);
  await background.drain();
});
