import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, newPassword, password, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { isAlive, newAddress } from '../support/people.ts';

describeEachDriver('a superuser of the command line', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterAll(() => app?.close());

  // Shows asvs/6.4.6.
  test('`svc create-admin` leaves password and sessions of an account alone, whatever password is given; a take-over does not', async () => {
    const { operator } = app.gatehouse as Assembled;
    const email = newAddress();
    expect(await operator.createAdmin({ email, password })).toBe('created');
    const token = await logIn(app, { email, password });
    expect(await operator.createAdmin({ email, password })).toBe('unchanged');
    expect(await isAlive(app, token)).toBe(true);
    expect(await operator.createAdmin({ email, password: newPassword })).toBe('unchanged');
    expect(await isAlive(app, token)).toBe(true);
    await logIn(app, { email, password });
    await operator.takeOver({ email });
    expect(await isAlive(app, token)).toBe(false);

    const member = await signUp(app);
    expect(await operator.createAdmin({ email: member.email, password: member.password })).toBe('promoted');
    expect(await isAlive(app, member.token)).toBe(true);
  });
});
