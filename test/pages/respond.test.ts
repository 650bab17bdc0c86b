import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { respond } from '../../src/pages/respond.ts';
import type { HostRequest } from '../../src/rest/route.ts';

/** The status that a request with these tags gets, for a content of two bytes. */
function statusOf(tags: string): number {
  const answer = { status: 0, tag: '' };
  const response = {
    writeHead(status: number, headers: Record<string, string>) {
      Object.assign(answer, { status, tag: headers.ETag });
    },
    end() {},
  };
  const ask = (value: string) =>
    respond({ headers: { 'if-none-match': value } } as HostRequest, response as unknown as ServerResponse, {
      type: 'text/plain',
      body: Buffer.from('ok'),
      headers: {},
    });
  ask('');
  ask(tags.replace('OURS', answer.tag));
  return answer.status;
}

test.each([
  ['OURS', 304],
  ['"other", OURS', 304],
  ['"other"  ,\tOURS  ,"third"', 304],
  ['"other"', 200],
  ['', 200],
])('a copy tagged %s is answered with %d', (tags, status) => {
  expect(statusOf(tags)).toBe(status);
});

test('a list of tags is read in one go, whatever stands in it', () => {
  // A stranger sends a run of spaces that holds the process for as long as the square of its length.
  const spaces = ' '.repeat(1_000_000);
  expect(statusOf(`"a${spaces}b"`)).toBe(200);
  expect(statusOf(`"a"${spaces},${spaces}OURS`)).toBe(304);
});
