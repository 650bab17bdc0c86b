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
