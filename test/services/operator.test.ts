import { expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { signUp, startApp } from '../support/app.ts';

test('an operator who takes a second factor off makes it known to the owner by mail, and to the host', async () => {
  // Somebody talks an operator into it; the owner must hear of it.
  const app = await startApp({ settings: { enableSms2fa: true } });
  const { operator } = app.gatehouse as Assembled;
  const { id, email } = await signUp(app);
  const events: string[] = [];
  app.gatehouse.on('mfa_disabled', () => void events.push('mfa_disabled'));
  app.gatehouse.on('user_updated', ({ by }) => void events.push(`user_updated by ${by}`));
  await app.gatehouse.repositories.users.change(id, {
    set: { phoneNumber: '+447700900123', isMfaEnabled: true },
  });
  await operator.disableMfa({ email });
  expect((await app.nextMail(email)).subject).toMatch(/phone/i);
  expect(events).toEqual(['mfa_disabled', 'user_updated by cli']);

  // Where there is nothing to take off, there is nothing to tell.
  const mails = app.mails.length;
  await operator.disableMfa({ email });
  expect([events.length, app.mails.length]).toEqual([3, mails]);
  await app.close();
});

test('an operator is asked for a password only where one is needed', async () => {
  const app = await startApp();
  const { operator } = app.gatehouse as Assembled;
  let asked = 0;
  const askPassword = async () => {
    asked++;
    return 'correct horse battery';
  };
  const verified = await signUp(app);
  expect(await operator.createAdmin({ email: verified.email, askPassword })).toBe('promoted');
  expect(asked).toBe(0);

  const unverified = await signUp(app);
  await app.gatehouse.repositories.users.change(unverified.id, { set: { isVerified: false } });
  expect(await operator.createAdmin({ email: unverified.email, askPassword })).toBe('taken_over');
  expect(await operator.createAdmin({ email: 'new@example.org', askPassword })).toBe('created');
  expect(asked).toBe(2);

  const tooShort = { email: 'newer@example.org', askPassword: async () => 'short' };
  await expect(operator.createAdmin(tooShort)).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(operator.createAdmin({ email: 'newer@example.org' })).rejects.toThrow(/give --password/);
  await app.close();
});
