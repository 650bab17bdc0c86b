import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { tokenHash } from '../../src/crypto/one-time.ts';
import { type App, newPassword, password, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { newAddress, nextToken } from '../support/people.ts';

const wrong = 'wrong horse battery';

describeEachDriver('a registration', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  describe('a resend that read a registration', () => {
    // An attacker who has registered somebody's address asks for resends while its owner registers it too.

    /** Asks for another link, and lets something happen between its read and its write. */
    async function resendWhile(email: string, meanwhile: () => Promise<unknown>): Promise<boolean> {
      const { pending } = app.gatehouse.repositories;
      const { renew } = pending;
      const renewed = Promise.withResolvers<boolean>();
      vi.spyOn(pending, 'renew').mockImplementationOnce(async (...args) => {
        await meanwhile();
        const done = await renew(...args);
        renewed.resolve(done);
        return done;
      });
      expect((await app.rest('POST', '/resend-verification', { email })).status).toBe(202);
      return renewed.promise;
    }

    test('does not bring it back when another has replaced it', async () => {
      const { pending } = app.gatehouse.repositories;
      const email = newAddress();
      await app.rest('POST', '/register', { email, password: wrong });
      const first = await nextToken(app, email);
      expect(
        await resendWhile(email, () => app.rest('POST', '/register', { email, password: newPassword })),
      ).toBe(false);
      const second = await nextToken(app, email);
      expect((await pending.find(email))?.tokenHash).toBe(tokenHash(second));
      expect((await app.rest('POST', '/verify', { token: first })).status).toBe(400);
      const verified = await app.rest('POST', '/verify', { token: second, password: newPassword });
      expect(verified.status).toBe(200);
      expect((await app.rest('POST', '/login', { email, password: wrong })).status).toBe(401);
      expect((await app.rest('POST', '/login', { email, password: newPassword })).status).toBe(200);
    });

    test('does not bring it back when it was used', async () => {
      const { pending } = app.gatehouse.repositories;
      const email = newAddress();
      await app.rest('POST', '/register', { email, password });
      const token = await nextToken(app, email);
      expect(await resendWhile(email, () => app.rest('POST', '/verify', { token }))).toBe(false);
      expect(await pending.find(email)).toBeNull();
    });
  });
});
