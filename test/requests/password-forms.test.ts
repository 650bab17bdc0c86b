import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, startApp } from '../support/app.ts';

const email = 'ada@example.org';

describe('a password', () => {
  describe('stored and checked', () => {
    let app: App;
    beforeAll(async () => {
      app = await startApp({ settings: { requireVerification: false } });
    });
    afterAll(() => app?.close());

    test('is accepted in another form of the same characters, and not in another case or trimmed', async () => {
      const login = async (password: string) =>
        (await app.rest('POST', '/login', { email, password })).status;
      await app.rest('POST', '/register', { email, password: ' cafe\u0301 Zürich ' });
      expect(await login(' caf\u00e9 Zu\u0308rich ')).toBe(200);
      expect(await login('café Zürich')).toBe(401);
      expect(await login(' café zürich ')).toBe(401);
    });
  });
});
