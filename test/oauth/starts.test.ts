import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { signUp } from '../support/app.ts';
import { doors } from '../support/doors.ts';
import { upTo } from '../support/people.ts';
import { metadata } from '../support/stand-in.ts';
import { type Answer, against, fail, hang, json, type Lies, page, sign, type Told } from './support.ts';

// Somebody starts sign-ins all the time, which must not become a flood at the provider.
describe('many starts at once', () => {
  test('ask the provider what it publishes once', async () => {
    let asked = 0;
    const told: Told = await against({
      discovery: res => {
        asked++;
        json(metadata(told.issuer))(res);
      },
    });
    const replies = await Promise.all(upTo(40).map(told.start));
    expect(replies.map(({ status }) => status)).toEqual(Array(40).fill(302));
    expect(asked).toBe(1);
  });

  test.each([
    ['fails', fail],
    ['hangs', hang],
  ] as [string, Answer][])(
    'ask a provider that %s once, and again when the time that they were told has passed',
    async (_, answer) => {
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      let asked = 0;
      const lies: Lies = {
        discovery: res => {
          asked++;
          answer(res);
        },
      };
      const told = await against(lies);
      const replies = await Promise.all(upTo(40).map(told.start));
      for (const { status, headers } of replies) {
        expect([status, headers.get('Retry-After')]).toEqual([503, '5']);
      }
      expect((await told.start()).status).toBe(503);
      vi.advanceTimersByTime(4999);
      expect((await told.start()).status).toBe(503);
      expect(asked).toBe(1);
      delete lies.discovery;
      vi.advanceTimersByTime(1);
      expect(await told.finish()).toContain('?id=');
    },
  );
});

describe('many callbacks at once', () => {
  /** Starts flows of one app, and returns how each ends when all come back at once. */
  async function comeBack(lies: Lies, count: number) {
    const nonces = new Map<string, string>();
    const told = await against({
      ...lies,
      idToken: (honest, code) => sign({ ...honest, nonce: nonces.get(code)! }),
    });
    const queries = await Promise.all(
      upTo(count).map(async i => {
        const url = new URL((await told.start()).headers.get('Location')!);
        nonces.set(`code-${i}`, url.searchParams.get('nonce')!);
        return new URLSearchParams({ code: `code-${i}`, state: url.searchParams.get('state')! });
      }),
    );
    const ends = await Promise.all(
      queries.map(query => told.app.rest('GET', `/oauth/google/callback?${query}`)),
    );
    return ends.map(({ headers }) => new URL(headers.get('Location')!).searchParams.get('error'));
  }

  test.each([
    ['fail', fail],
    ['hang', hang],
  ] as [string, Answer][])('ask once for keys that %s', async (_, answer) => {
    let asked = 0;
    const keys: Answer = res => {
      asked++;
      answer(res);
    };
    expect(new Set(await comeBack({ keys }, 20))).toEqual(new Set(['unavailable']));
    expect(asked).toBe(1);
  });
});

// A person at a provider that is down sees a page, and a program an error.
describe('a start at a provider that is down', () => {
  test('sends a browser to the login page, which puts it into words', async () => {
    const told = await against({ discovery: fail });
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const start = (headers: Record<string, string>, path = '/oauth/google/start') =>
      told.app.rest('GET', path, undefined, { headers });
    const reply = await start({ Accept: accept });
    expect(reply.status).toBe(302);
    expect(reply.headers.get('Location')).toBe(page('unavailable'));
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    expect(told.app.logs.filter(({ level }) => level === 'warn')).not.toEqual([]);
    for (const Accept of ['application/json', '*/*']) {
      expect(await start({ Accept })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    }
    // An error of the browser itself is reported as before.
    const bad = await start({ Accept: accept }, '/oauth/google/start?redirect_to=//evil.example');
    expect(bad).toMatchObject({ status: 400, body: { code: 'bad_redirect' } });
  });

  test.each(doors)('is 503 through $name, for a sign-in and for a link', async door => {
    const told = await against({ discovery: fail });
    const call = door.at(told.app);
    const member = await signUp(told.app);
    const down = { ok: false, code: 'unavailable', status: 503, retryAfter: 5 };
    expect(await call('startOAuthSignIn', { provider: 'google' })).toEqual(down);
    expect(await call('startOAuthLink', { provider: 'google' }, member)).toEqual(down);
  });
});
