import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, newPassword, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';

describeEachDriver('a token that no database takes', backend => {
  let app: App;
  beforeAll(async () => {
    const oauth = { googleClientId: 'an id', googleClientSecret: 'a secret' };
    app = await startApp({ backend, settings: { enableOauth: true, oauth } });
  });
  afterAll(() => app?.close());

  test.each([
    ['NUL', '\0'],
    ['NUL within', 'a\0b'],
    ['half a surrogate pair', '\ud800'],
    ['a byte order mark', '\ufeff'],
    ['the end of the line', '\r\n'],
    ['reversed text', '\u202eabc'],
    ['quotes', `' or 1=1; --"`],
    ['an emoji', '🦄'],
    ['4000 letters', 'x'.repeat(4000)],
    ['a path', '../../etc/passwd'],
  ])('is refused and is no outage: %s', async (_, token) => {
    // An attacker looks for bytes that make the database fail, and so every request after it.
    for (const [path, body] of [
      ['/oauth/exchange', { id: token }],
      ['/oauth/exchange', { id: token, code_verifier: token }],
      ['/verify', { token }],
      ['/reset-password', { token, new_password: newPassword }],
      ['/confirm-email-change', { token }],
    ] as const) {
      const { status } = await app.rest('POST', path, body);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
    }
    const state = new URLSearchParams({ state: token, code: token });
    const reply = await fetch(`${app.url}/oauth/google/callback?${state}`, { redirect: 'manual' });
    expect(reply.status).toBe(302);
    expect(reply.headers.get('Location')).toMatch(/\?error=bad_state$/);
    expect(app.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
