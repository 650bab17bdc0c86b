import { expect, test, vi } from 'vitest';
import { createResourceServer } from '../../src/verify/index.ts';
import { createIssuer, issuer } from './signed.ts';

// When keys are fetched, and which answers are none (CONTRACT §16.5).

const minute = 60_000;

async function start() {
  const made = await createIssuer();
  const api = createResourceServer(made.options);
  const codeOf = async (token: string) =>
    api.verify(token).then(
      () => 'counts',
      error => error.code,
    );
  return { ...made, api, codeOf };
}

test('a thousand tokens of unknown keys cost one request in 30 seconds', async () => {
  const { codeOf, sign, requests, state } = await start();
  const strangers = await Promise.all(Array.from({ length: 1000 }, (_, n) => sign({}, { kid: `${n}` })));
  const asked = async () => new Set(await Promise.all(strangers.map(codeOf)));
  expect(await asked()).toEqual(new Set(['unauthenticated']));
  expect(requests).toEqual([`${issuer}/.well-known/jwks.json`]);
  state.now += 29_999;
  await asked();
  expect(requests.length).toBe(1);
  state.now += 1;
  await asked();
  expect(requests.length).toBe(2);
});

test('a key that is new is known with the first token of it', async () => {
  const { codeOf, sign, state } = await start();
  expect(await codeOf(await sign())).toBe('counts');
  const second = await createIssuer('ES256', 'second');
  state.keys.push(second.jwk);
  state.now += 30_000;
  second.state.now = state.now;
  expect(await codeOf(await second.sign())).toBe('counts');
});

test('keys are kept for ten minutes, so that one that was removed is refused then', async () => {
  const { codeOf, sign, state, requests } = await start();
  const token = () => sign();
  expect(await codeOf(await token())).toBe('counts');
  state.keys = [];
  state.now += 10 * minute - 1;
  expect(await codeOf(await token())).toBe('counts');
  expect(requests.length).toBe(1);
  state.now += 1;
  expect(await codeOf(await token())).toBe('unauthenticated');
});

test('while the issuer is down keys are kept for a day, and then nothing can be checked', async () => {
  const { codeOf, sign, state, requests } = await start();
  const works = state.answer;
  expect(await codeOf(await sign())).toBe('counts');
  state.answer = () => Promise.reject(new Error('down'));
  state.now += 11 * minute;
  for (let n = 0; n < 20; n++) expect(await codeOf(await sign())).toBe('counts');
  // A service that hangs must not cost each request five seconds.
  expect(requests.length).toBe(2);
  state.now += 24 * 60 * minute - 12 * minute;
  expect(await codeOf(await sign())).toBe('counts');
  state.now += 2 * minute;
  expect(await codeOf(await sign())).toBe('unavailable');
  state.answer = works;
  state.now += 5000;
  expect(await codeOf(await sign())).toBe('counts');
});

test('without keys nothing can be checked', async () => {
  const { api, codeOf, sign, state } = await start();
  const answers: Record<string, () => Response> = {
    'an error': () => new Response('{"keys":[]}', { status: 500 }),
    'a redirect': () => Response.redirect('https://evil.example/keys', 302),
    'no JSON': () => new Response('<html>'),
    'no object': () => Response.json([]),
    'no keys': () => Response.json({}),
    'more than 64 KiB': () => Response.json({ keys: [], x: 'x'.repeat(65_536) }),
  };
  for (const [what, answer] of Object.entries(answers)) {
    state.answer = answer;
    state.now += 5000;
    expect(await codeOf(await sign()), what).toBe('unavailable');
  }
  const request = new Request('https://api.example.org/', {
    headers: { Authorization: `Bearer ${await sign()}` },
  });
  const { response } = await api.protect(request);
  expect(response?.status).toBe(503);
  expect(await response?.json()).toMatchObject({ code: 'unavailable' });
  expect(response?.headers.get('WWW-Authenticate')).toBeNull();
  expect(response?.headers.get('Retry-After')).toBe('5');
});

test('an issuer that is down is asked once in five seconds while there are no keys', async () => {
  const { codeOf, sign, state, requests } = await start();
  const works = state.answer;
  state.answer = () => Promise.reject(new Error('down'));
  for (const asked of [1, 2]) {
    const codes = await Promise.all(Array.from({ length: 20 }, async () => codeOf(await sign())));
    expect(new Set(codes)).toEqual(new Set(['unavailable']));
    state.now += 4999;
    expect(await codeOf(await sign())).toBe('unavailable');
    expect(requests.length).toBe(asked);
    state.now += 1;
  }
  state.answer = works;
  expect(await codeOf(await sign())).toBe('counts');
});

test('an issuer that does not answer is given up after five seconds', async () => {
  const { codeOf, sign, state } = await start();
  const aborting = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(aborting.signal);
  state.answer = () => new Promise(() => {});
  const code = codeOf(await sign());
  await vi.waitFor(() => expect(timeout).toHaveBeenCalledWith(5000));
  aborting.abort(new Error('timeout'));
  expect(await code).toBe('unavailable');
  timeout.mockRestore();
});

test('a malformed token makes no request', async () => {
  const { codeOf, requests } = await start();
  for (const token of ['', 'x', 'a.b.c']) expect(await codeOf(token)).toBe('unauthenticated');
  expect(requests).toEqual([]);
});

test('a private key or one for another use in the set checks nothing', async () => {
  const { codeOf, sign, state, jwk } = await start();
  state.keys = [{ ...jwk, use: 'enc' }, null as never, { kid: 'first' }];
  expect(await codeOf(await sign())).toBe('unauthenticated');
});
