import { expect, test } from 'vitest';
import { contentResponse } from '../../src/pages/respond.ts';

/** The status that a request with these tags gets, for a content of two bytes. */
async function statusOf(tags: string): Promise<number> {
  const ask = (value: string) =>
    contentResponse(
      { method: 'GET', headers: { 'if-none-match': value } },
      { type: 'text/plain', body: Buffer.from('ok'), headers: {} },
    );
  const { headers } = await ask('');
  return (await ask(tags.replace('OURS', headers.ETag!))).status;
}

test.each([
  ['OURS', 304],
  ['"other", OURS', 304],
  ['"other"  ,\tOURS  ,"third"', 304],
  ['"other"', 200],
  ['', 200],
])('a copy tagged %s is answered with %d', async (tags, status) => {
  expect(await statusOf(tags)).toBe(status);
});

test('a list of tags is read in one go, whatever stands in it', async () => {
  // A stranger sends a run of spaces that holds the process for as long as the square of its length.
  const spaces = ' '.repeat(1_000_000);
  expect(await statusOf(`"a${spaces}b"`)).toBe(200);
  expect(await statusOf(`"a"${spaces},${spaces}OURS`)).toBe(304);
});
