import { expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/http/message.ts';
import { createApi } from '../../src/rest/router.ts';
import { english } from '../../src/words/words.ts';

const answered: HttpResponse = { status: 204, headers: {}, body: null };
const quiet = { debug() {}, info() {}, warn() {}, error() {}, audit() {} };

const apiWith = (work: () => Promise<HttpResponse>) =>
  createApi({
    ...{ routes: [], absent: [], developedAt: null, corsOrigins: [], setCookie: undefined },
    ...{ answers: { '/gate': { respond: work, described: {} } }, openApi: () => ({}), logger: quiet },
  });

const requestOf = (method: string) =>
  ({
    method,
    target: '/gate',
    headers: {},
    id: 'r1',
    query: '',
    speak: () => english,
  }) as unknown as HttpRequest;

test.each(['GET', 'POST', 'PUT', 'OPTIONS', 'PROPFIND'])('a path of a feature answers %s', async method => {
  const request = requestOf(method);
  expect(await apiWith(async () => answered)(request, '/gate')).toEqual(answered);
  expect(request.route).toBe('/gate');
  expect(apiWith(async () => answered)(request, '/gate/further')).toBeNull();
});

test('a failure there is a problem document', async () => {
  const response = await apiWith(() => Promise.reject(new Error('broken')))(requestOf('GET'), '/gate');
  expect(response).toMatchObject({ status: 500, headers: { 'Content-Type': 'application/problem+json' } });
});
