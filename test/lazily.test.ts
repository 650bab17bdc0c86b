import { expect, test } from 'vitest';
import { lazily } from '../src/lazily.ts';

test('what is made lazily is made once, however many ask at once', async () => {
  let made = 0;
  const thing = lazily(async () => ++made);
  expect(await Promise.all([thing(), thing(), thing()])).toEqual([1, 1, 1]);
  expect(await thing()).toBe(1);
});

test('what could not be made is made anew for whoever asks next', async () => {
  // An attacker holds every file the process may open, and what was first needed then would be missing for good.
  let tries = 0;
  const thing = lazily(async () => {
    if (++tries === 1) throw new Error('EMFILE');
    return 'made';
  });
  await expect(thing()).rejects.toThrow('EMFILE');
  expect(await thing()).toBe('made');
});
