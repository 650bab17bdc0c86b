import { expect, test, vi } from 'vitest';
import { lazily, rememberFor } from '../src/lazily.ts';

test('a lazy value is made once, for any number of parallel calls', async () => {
  let made = 0;
  const thing = lazily(async () => ++made);
  expect(await Promise.all([thing(), thing(), thing()])).toEqual([1, 1, 1]);
  expect(await thing()).toBe(1);
});

test('a lazy value that failed is made anew at the next call', async () => {
  // An attacker holds every file the process may open, and what was first needed then would be missing for good.
  let tries = 0;
  const thing = lazily(async () => {
    if (++tries === 1) throw new Error('EMFILE');
    return 'made';
  });
  await expect(thing()).rejects.toThrow('EMFILE');
  expect(await thing()).toBe('made');
});

test('a value that is kept for some time is made once in it, its failure too', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  let made = 0;
  const thing = rememberFor(1000, async () => {
    if (++made === 2) throw new Error('down');
    return made;
  });
  expect(await Promise.all([thing(), thing()])).toEqual([1, 1]);
  clock.mockReturnValue(999);
  expect(await thing()).toBe(1);
  clock.mockReturnValue(1000);
  await expect(thing()).rejects.toThrow('down');
  clock.mockReturnValue(1999);
  await expect(thing()).rejects.toThrow('down');
  clock.mockReturnValue(2000);
  expect(await thing()).toBe(3);
  clock.mockRestore();
});
