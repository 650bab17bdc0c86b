import { expect, test } from 'vitest';
import { createLetters } from '../../../src/validate/deployment/letters.ts';
import { logPlace, logReader } from '../../../src/validate/deployment/log-letters.ts';

const me = 'gatehouse-probe-1@probe.example';
const token = 'sR5KjixjrBSH0vhbykGzVmYAAFykLiTcfwK8EPppe-k';
const jwt = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(30)}.${'b'.repeat(30)}`;
const link = `https://accounts.example/account/verify?token=${token}`;

/** Letters out of a log. */
function openLog(timeoutMs: number) {
  const interruption = { signal: new AbortController().signal };
  const letters = createLetters({ place: logPlace, timeoutMs, interruption });
  return { ...letters, sink: logReader(letters) };
}

/** What is found for an address in a log, which comes in pieces of this many characters. */
function found(log: string, to = me, size = 7): Promise<string> {
  const letters = openLog(1);
  letters.watch(to);
  for (let i = 0; i < log.length; i += size) letters.sink.text(log.slice(i, i + size));
  return letters.secretTo(to, 0);
}

const mail = (to: string, url = link) =>
  `\nmail to ${to}: Confirm your address\n\nOpen this link:\n\n${url}\n\nIt works once.\n\n`;
const record = (fields: object) => `${JSON.stringify({ level: 30, time: 'now', ...fields })}\n`;

test.each([
  ['plain lines', mail(me)],
  [
    'lines that another program put a prefix before',
    mail(me).replace(/^/gm, 'Nov 21 15:25:43 host svc[7]: '),
  ],
  ['carriage returns', mail(me).replaceAll('\n', '\r\n')],
  ['one JSON record', record({ to: me, subject: 'x', msg: `mail to ${me}: x\n\n${link}` })],
  ['a JSON record at DEBUG', record({ to: me, body: `Open:\n${link}`, msg: `body of the email to ${me}` })],
  ['a JSON record with a prefix', `web-1  | ${record({ msg: `mail to ${me}: x\n\n${link}` })}`],
  ['a link that ends in its token', mail(me, `https://app.example/#/verify/${token}`)],
])('finds the token in %s', async (_, log) => {
  expect(await found(log)).toBe(token);
});

test('finds a token that is a JWT, wherever in the link it stands', async () => {
  expect(await found(mail(me, `https://app.example/reset?token=${jwt}&lang=en`))).toBe(jwt);
  expect(await found(mail(me, `https://app.example/reset/${jwt}/now`))).toBe(jwt);
});

test('finds the code of a text message', async () => {
  const phone = '+4915112345678';
  expect(await found(`text message to ${phone}: Your Acme sign-in code: 123456\n`, phone)).toBe('123456');
  expect(await found(`text message to ${phone}: Acme 2000のログインコード: 123456\n`, phone)).toBe('123456');
  const body = {
    to: phone,
    body: 'Your Acme verification code: 654321',
    msg: `body of the text message to ${phone}`,
  };
  expect(await found(record(body), phone)).toBe('654321');
});

// Somebody else's link, used by the probe, would verify an address or reset a password that is not the probe's.
test.each([
  ['another address', mail('ann@example.org')],
  ['an address that only ends the same', mail(`x${me}`)],
  ['an address that only begins the same', mail(`${me}.org`)],
  ['a later mail to somebody else', `mail to ${me}: x\n${mail('ann@example.org')}`],
  ['a line of an access log after one', `mail to ${me}: x\n10.0.0.7 "GET ${link} HTTP/1.1" 200\n`],
  ['a record after one to the probe', `mail to ${me}: x\n${record({ msg: 'request' })}${link}\n`],
])('takes nothing from a mail to %s', async (_, log) => {
  await expect(found(log)).rejects.toThrow(/no email to|without its body/);
});

test('takes nothing from before a moment', async () => {
  const letters = openLog(1);
  letters.watch(me);
  letters.sink.text(mail(me));
  await expect(letters.secretTo(me, letters.mark())).rejects.toThrow(/no email to/);
});

test('does not wait for a body that is not logged with its first line', async () => {
  const letters = openLog(3_600_000);
  letters.watch(me);
  letters.sink.text(`mail to ${me}: Confirm your address\n`);
  await expect(letters.secretTo(me, 0)).rejects.toThrow('set email.log_bodies = true for the probe');
});

test('says that the log ended, and why', async () => {
  const letters = openLog(10_000);
  letters.watch(me);
  const waiting = letters.secretTo(me, 0);
  letters.sink.ended('ssh ended (255): Permission denied (publickey).');
  await expect(waiting).rejects.toThrow('the log ended: ssh ended (255): Permission denied (publickey).');
});
