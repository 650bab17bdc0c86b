import { expect, it } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { Secret } from '../../src/config/secret.ts';
import { openMailer } from '../../src/mail/open.ts';
import { startMailbox } from '../support/mailbox.ts';
import { mail, recordingLogger } from './support.ts';

const settings: Config['email'] = {
  backend: 'console',
  fromAddress: 'noreply@acme.example',
  fromName: 'Acme',
  logBodies: false,
  smtpPort: 587,
  smtpStarttls: true,
};

it('opens the console for the backend "console"', async () => {
  const written: string[] = [];
  const mailer = await openMailer(settings, recordingLogger(), text => written.push(text));
  await mailer.send(mail);
  expect(written).toEqual(['mail to ann@recipient.example: Confirm your address\n']);
});

it('opens SMTP with its settings for the backend "smtp"', async () => {
  const mailbox = await startMailbox({ auth: { user: 'acme', pass: 'hunter2' } });
  const mailer = await openMailer(
    {
      ...settings,
      backend: 'smtp',
      smtpHost: mailbox.host,
      smtpPort: mailbox.port,
      smtpStarttls: false,
      smtpUsername: 'acme',
      smtpPassword: new Secret('hunter2'),
    },
    recordingLogger(),
  );
  await mailer.send(mail);
  await mailer.close?.();
  await mailbox.close();
  expect(mailbox.mails[0]?.raw).toContain('From: Acme <noreply@acme.example>');
});

it('opens SES for the backend "ses", without a connection', async () => {
  const mailer = await openMailer({ ...settings, backend: 'ses', sesRegion: 'eu-west-1' }, recordingLogger());
  await mailer.close?.();
});
