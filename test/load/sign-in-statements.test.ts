import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { interleave } from '../support/interleave.ts';

const credentials = { email: 'ada@example.org', password: 'correct horse battery' };
const wrong = 'wrong horse battery';

describeEachDriver('how often one more sign-in asks the database', backend => {
  test.each([
    // The read of the account, a slot of the lockout, the time of the sign-in, and the release of the slots.
    ['a right password', credentials.password, 0, 200, 4],
    // The read of the account, and a slot.
    ['a wrong password', wrong, 0, 401, 2],
    // The failures are read again after the check.
    ['a right password while failures are counted', credentials.password, 100, 200, 5],
    ['a wrong password while failures are counted', wrong, 100, 401, 3],
  ])('%s', async (_, password, maxConsecutiveFailures, status, count) => {
    const app = await startApp({ backend, settings: { requireVerification: false, maxConsecutiveFailures } });
    onTestFinished(() => app.close());
    await app.rest('POST', '/register', credentials);
    await app.rest('POST', '/login', credentials);
    const signIn = () => app.rest('POST', '/login', { ...credentials, password });
    const calls = await interleave(
      app,
      async () => {
        expect((await signIn()).status).toBe(status);
      },
      {},
    );
    expect(calls).toBe(count);
  });
});
