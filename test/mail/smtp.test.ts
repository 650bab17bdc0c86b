import { createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../src/mail/mailer.ts';
import { smtpMailer } from '../../src/mail/smtp.ts';
import { smtpError } from '../../src/mail/smtp-error.ts';
import { DeliveryError } from '../../src/outgoing/delivery-error.ts';
import { type MailboxOptions, startMailbox } from '../support/mailbox.ts';
import { mail, sender } from './support.ts';

type Settings = Partial<Parameters<typeof smtpMailer>[0]>;

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options?: MailboxOptions, settings: Settings = {}) {
  const mailbox = await startMailbox(options);
  cleanups.push(() => mailbox.close());
  const { host, port } = mailbox;
  return { mailbox, mailer: open({ host, port, ...settings }) };
}

function open(settings: Settings): Transport {
  const mailer = smtpMailer({ host: 'localhost', port: 1, startTls: false, from: sender, ...settings });
  cleanups.push(() => mailer.close?.());
  return mailer;
}

/** For the test alone. */
function trust(certificate: string): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  cleanups.push(() => setDefaultCACertificates(trusted));
}

async function failure(mailer: Transport): Promise<DeliveryError> {
  const error = await mailer.send(mail).then(
    () => undefined,
    error => error,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error;
}

it('delivers text and HTML from the configured sender', async () => {
  const { mailbox, mailer } = await start();
  await mailer.send(mail);
  const [arrived] = mailbox.mails;
  expect(arrived).toMatchObject({
    from: sender.address,
    to: [mail.to],
    subject: mail.subject,
    html: mail.html,
  });
  expect(arrived?.text.split('\n')).toContain('https://app.example/verify?token=s3cret-token');
  expect(arrived?.raw).toContain('From: "Acme, \\"Inc\\"" <noreply@acme.example>');
  expect(arrived?.raw).toContain('Auto-Submitted: auto-generated');
});

// "a@one.example, b@two.example" is two recipients to a parser of headers.
it('never makes two recipients of one address', async () => {
  const { mailbox, mailer } = await start();
  await mailer.send({ ...mail, to: 'a@one.example, b@two.example' }).catch(() => {});
  expect(mailbox.attempts).toBe(0);
  expect(mailbox.mails).toEqual([]);
});

it('signs in with username and password', async () => {
  const { mailbox, mailer } = await start(
    { auth: { user: 'acme', pass: 'right' } },
    { username: 'acme', password: 'right' },
  );
  await mailer.send(mail);
  expect(mailbox.mails).toHaveLength(1);
  const { host, port } = mailbox;
  const error = await failure(open({ host, port, username: 'acme', password: 'wrong' }));
  expect(error).toMatchObject({
    message: `${host}:${port} rejected the user name or the password (535)`,
    permanent: true,
  });
});

it('calls a 4xx reply passing and a 5xx reply permanent', async () => {
  const { mailbox, mailer } = await start();
  mailbox.behave({ reject: 451, times: 1 });
  expect(await failure(mailer)).toMatchObject({ permanent: false, code: 'EENVELOPE' });
  mailbox.behave({ reject: 550, times: 1 });
  expect(await failure(mailer)).toMatchObject({ permanent: true, code: 'EENVELOPE' });
  await mailer.send(mail);
  expect(mailbox.mails).toHaveLength(1);
});

it.each([
  ['550 5.1.1 no such user', 'RCPT TO', true],
  ['552 5.2.2 mailbox is full', 'RCPT TO', true],
  ['554 5.7.1 relay access denied', 'RCPT TO', false],
  ['550 relay not permitted', 'RCPT TO', false],
  ['530 authentication required', 'RCPT TO', false],
  ['450 4.2.0 greylisted', 'RCPT TO', false],
  ['550 5.1.0 sender rejected', 'MAIL FROM', false],
  ['554 5.6.0 message rejected', 'DATA', false],
])('%s at %s is about the recipient alone: %s', (response, command, isOfRecipient) => {
  const cause = Object.assign(new Error(response), {
    ...{ code: 'EENVELOPE', response, command },
    responseCode: Number(response.slice(0, 3)),
  });
  expect(smtpError(cause, 'mail.example:587').isOfRecipient).toBe(isOfRecipient);
});

it('repeats no address and no link of what the server says', () => {
  const response =
    '550 5.7.1 <ann@recipient.example> https://app.example/verify?token=s3cret looks like spam';
  const cause = Object.assign(new Error(response), {
    code: 'EMESSAGE',
    response,
    responseCode: 550,
    permanent: true,
  });
  const error = smtpError(cause, 'mail.example:587');
  expect(error.message).toBe('mail.example:587 rejected the message (550 5.7.1)');
  expect(error.reply).toBe('550 5.7.1 <[address]> [link] looks like spam');
});

it('says in words that no server listens', async () => {
  const error = await failure(open({ port: 1 }));
  expect(error).toMatchObject({
    code: 'ECONNREFUSED',
    message: 'localhost:1 is unreachable',
    permanent: false,
  });
});

it('says in words that the server does not answer', async () => {
  const sockets: Socket[] = [];
  const silent = createServer(socket => sockets.push(socket)).listen(0, '127.0.0.1');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await new Promise(resolve => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const error = await failure(open({ port, connectTimeoutMs: 100 }));
  expect(error.message).toBe(`localhost:${port} did not respond in time`);
});

it('sends nothing in the clear when STARTTLS is asked for and not offered', async () => {
  const { mailbox, mailer } = await start({}, { startTls: true });
  const error = await failure(mailer);
  expect(error.message).toContain('does not offer the configured encryption');
  expect(mailbox.attempts).toBe(0);
});

it('sends over STARTTLS only to a server whose certificate the machine trusts', async () => {
  const { mailbox, mailer } = await start({ startTls: true }, { startTls: true });
  const { host, port, certificate } = mailbox;
  const error = await failure(mailer);
  expect(error.message).toContain(
    `the certificate of ${host}:${port} is not signed by an authority that this machine trusts`,
  );
  expect(mailbox.attempts).toBe(0);

  trust(certificate!);
  await open({ host, port, startTls: true }).send(mail);
  expect(mailbox.mails).toHaveLength(1);
});

it('speaks TLS from the first byte on the port for it, and signs in there', async () => {
  const auth = { user: 'acme', pass: 'right' };
  const { mailbox } = await start({ implicitTls: true, auth });
  const { host, port, certificate } = mailbox;
  trust(certificate!);
  const mailer = open({ host, port, implicitTls: true, username: 'acme', password: 'right' });
  await mailer.send(mail);
  expect(mailbox.mails).toHaveLength(1);
  expect(await mailer.check!()).toBe(`connected to ${host}:${port} with TLS, signed in as acme`);
});

it('says in words that a trusted certificate is for somebody else', async () => {
  const { mailbox } = await start({ startTls: true, certificateFor: 'mail.example' });
  const { host, port, certificate } = mailbox;
  trust(certificate!);
  const error = await failure(open({ host, port, startTls: true }));
  expect(error.message).toBe(`the certificate of ${host}:${port} is for another host name`);
});

it('sends many mails over a few connections, which it keeps', async () => {
  const { mailbox, mailer } = await start();
  await Promise.all(Array.from({ length: 20 }, () => mailer.send(mail)));
  for (let i = 0; i < 5; i++) await mailer.send(mail);
  expect(mailbox.mails).toHaveLength(25);
  expect(mailbox.connections).toBeLessThanOrEqual(4);
});

it('finds out whether mails could be sent, and sends none', async () => {
  const { mailbox, mailer } = await start(
    { auth: { user: 'acme', pass: 'right' } },
    { username: 'acme', password: 'right' },
  );
  const { host, port } = mailbox;
  expect(await mailer.check!()).toBe(`connected to ${host}:${port} with no encryption, signed in as acme`);
  const wrong = open({ host, port, username: 'acme', password: 'wrong' });
  await expect(wrong.check!()).rejects.toThrow('rejected the user name or the password (535)');
  await expect(open({ host, port, startTls: true }).check!()).rejects.toThrow(
    'does not offer the configured encryption',
  );
  await expect(open({ port: 1 }).check!()).rejects.toThrow('localhost:1 is unreachable');
  expect(mailbox.attempts).toBe(0);
});

it('says that it did not sign in where the server offers none', async () => {
  const { mailbox, mailer } = await start({}, { username: 'acme', password: 'right' });
  const { host, port } = mailbox;
  expect(await mailer.check!()).toEqual({
    warning: `connected to ${host}:${port} with no encryption, but not signed in as acme: the server offers no sign-in (AUTH) on this connection, and emails are sent without`,
  });
  const anonymous = open({ host, port });
  expect(await anonymous.check!()).toBe(
    `connected to ${host}:${port} with no encryption, without authentication`,
  );
  await mailer.send(mail);
  expect(mailbox.mails).toHaveLength(1);
});

it.each([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another host name'],
])('says in words what %s means', (originalCode, words) => {
  const cause = Object.assign(new Error('openssl'), { code: 'ESOCKET', originalCode });
  expect(smtpError(cause, 'mail.example:587').message).toBe(`the certificate of mail.example:587 ${words}`);
});
