import { afterAll, beforeAll, expect, test } from 'vitest';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { type App, newPassword, type Reply, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { atEachMoment, interleave } from '../support/interleave.ts';

// The first sign-in with an imported hash stores another hash of the same password.
describeEachDriver('a password whose hash is replaced meanwhile', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  test('is changed by its owner all the same, at whatever moment', async () => {
    const hasher = new PasswordHasher();
    await atEachMoment(backend, async at => {
      const { id, token, password } = await signUp(app);
      const hashedPassword = await hasher.hash(password);
      const rehash = () => app.gatehouse.repositories.users.change(id, { set: { hashedPassword } });
      let reply: Reply | undefined;
      const body = { current_password: password, new_password: newPassword };
      const change = async () => (reply = await app.rest('POST', '/change-password', body, { token }));
      const calls = await interleave(app, change, { [at]: rehash });
      expect([reply!.status, at]).toEqual([200, at]);
      return calls;
    });
  });
});
