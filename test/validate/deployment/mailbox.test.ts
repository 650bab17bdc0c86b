import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createLetters } from '../../../src/validate/deployment/letters.ts';
import { mailboxPlace, mailReader } from '../../../src/validate/deployment/mail-letters.ts';
import { addressLike, parseMailbox } from '../../../src/validate/deployment/mailbox.ts';
import { followMailbox, mailsIn } from '../../../src/validate/deployment/mailbox-follow.ts';
import { type Mail, type Mailbox, startMailbox } from '../../support/mailbox.ts';
import { checkOf, type Deployment, newPhone, probed, startDeployment } from './deployment.ts';

const me = 'gatehouse-probe-1@probe.example';
const token = 'sR5KjixjrBSH0vhbykGzVmYAAFykLiTcfwK8EPppe-k';
/** How long a program of another process may take. */
const patience = { timeout: 20_000 };
const link = `https://accounts.example/account/verify?token=${token}`;

function openLetters(timeoutMs = 1, { signal } = new AbortController()) {
  const interruption = { signal };
  const letters = createLetters({ place: mailboxPlace, timeoutMs, interruption });
  letters.watch(me);
  return letters;
}

/** What is found for the probe in mails, as they were received. */
async function found(...mails: (string | Buffer)[]): Promise<string> {
  const letters = openLetters();
  const take = mailReader(letters);
  for (const mail of mails) await take(Buffer.from(mail));
  return letters.secretTo(me, 0);
}

/** A mail with these headers and this body, in the line ends of the network. */
const mail = (headers: string[], body: string) => [...headers, '', ...body.split('\n')].join('\r\n');
const plain = (to: string, body = `Open this link:\n\n${link}\n\nIt works once.`) =>
  mail(['From: Acme <noreply@acme.example>', `To: ${to}`, 'Subject: Confirm'], body);

describe('a mail', () => {
  const quoted = link.replaceAll('=', '=3D').replace('verify', 'ver=\nify');
  const base64 = Buffer.from(`Open:\r\n${link}\r\n`).toString('base64').replace(/.{40}/g, '$&\n');
  const alternative = (text: string, html: string) =>
    `--b\nContent-Type: text/plain\n\n${text}\n--b\nContent-Type: text/html\n\n${html}\n--b--`;
  const html = `<p>Hello<br><a class="x" href="${link.replace('?', '?lang=en&amp;')}">Confirm</a></p>`;

  test.each<[string, string]>([
    ['plain text', plain(me)],
    ['plain text with bare line feeds', plain(me).replaceAll('\r\n', '\n')],
    [
      'quoted-printable',
      mail([`To: ${me}`, 'Content-Transfer-Encoding: quoted-printable'], `Open:\n${quoted}`),
    ],
    ['base64', mail([`To: ${me}`, 'Content-Transfer-Encoding: base64'], base64)],
    [
      'two parts',
      mail([`To: ${me}`, 'Content-Type: multipart/alternative; boundary=b'], alternative(link, html)),
    ],
    [
      'two parts within another',
      mail(
        [`To: ${me}`, 'Content-Type: multipart/mixed; boundary=a'],
        `--a\nContent-Type: multipart/alternative; boundary=b\n\n${alternative(link, html)}\n--a--`,
      ),
    ],
    ['HTML alone', mail([`To: ${me}`, 'Content-Type: text/html; charset=utf-8'], html)],
    [
      'HTML whose link is written in entities',
      mail(
        [`To: ${me}`, 'Content-Type: text/html'],
        `<a href='${link.replace('=', '&#x3D;').replace('?', '&#63;')}'>x</a>`,
      ),
    ],
    ['a link in angle brackets', plain(me, `Confirm <${link}> please`)],
    ['a link among others', plain(me, `https://acme.example/${'x'.repeat(43)}\n${link}`)],
    ['a name before the address', plain(`"Gatehouse, Probe" <${me.toUpperCase()}>`)],
    ['a folded recipient among others', plain(`ann@example.org,\r\n ${me}`)],
  ])('is read in the form of %s', async (_, raw) => {
    expect(await found(raw)).toBe(token);
  });

  test('as our own transport writes it is read', async () => {
    const transport = createTransport({ streamTransport: true, buffer: true });
    const text = `Ä link:\n\n${link}&next=${'long'.repeat(60)}\n`;
    const sent = await transport.sendMail({ from: 'a@acme.example', to: me, subject: 'Ä', text, html });
    expect(await found(sent.message as Buffer)).toBe(token);
  });

  // Somebody else's link, used by the probe, would verify an address or reset a password that is not the probe's.
  test.each<[string, string]>([
    ['somebody else', plain('ann@example.org')],
    ['an address that only ends the same', plain(`x${me}`)],
    ['an address that only begins the same', plain(`${me}.org`)],
    [
      'somebody else, of which the probe is told',
      plain('ann@example.org').replace('Subject', `Cc: ${me}\r\nSubject`),
    ],
    ['somebody else, whose name is the probe’s address', plain(`"${me}" <ann@example.org>`)],
    ['somebody else, with the probe in its body', plain('ann@example.org', `${me}\n${link}`)],
    [
      'the probe, with a mail to somebody else in it',
      mail(
        [`To: ${me}`, 'Content-Type: multipart/mixed; boundary=a'],
        `--a\nContent-Type: message/rfc822\n\n${plain('ann@example.org').replaceAll('\r\n', '\n')}\n--a--`,
      ),
    ],
  ])('to %s gives nothing', async (_, raw) => {
    await expect(found(raw)).rejects.toThrow(/^(no email to|there is email to)/);
  });

  test('that can’t be decoded is said, and the next one is read', async () => {
    const nested = Array.from(
      { length: 300 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}`,
    );
    const hostile = `To: ${me}\r\n${nested.join('\r\n')}\r\n`;
    await expect(found(hostile)).rejects.toThrow(/can't be decoded/);
    expect(await found(hostile, plain(me))).toBe(token);
  });

  test('is one of several in a file of the mbox form', () => {
    const one = plain('ann@example.org');
    const mbox = `From ann@example.org Sat Nov 21 10:00:00 2026\r\n${one}\r\n\r\nFrom x\r\n${plain(me)}\r\n`;
    expect(mailsIn(Buffer.from(mbox)).map(raw => raw.toString().trim())).toEqual([one, plain(me)]);
    expect(mailsIn(Buffer.from(`\n${one}`)).map(raw => raw.toString())).toEqual([one]);
    expect(mailsIn(Buffer.from(' \n'))).toEqual([]);
  });
});

describe('--mailbox', () => {
  test.each([
    ['maildir:/var/mail/probe', { kind: 'maildir', path: '/var/mail/probe' }],
    ['cmd:fetch "$1" | head', { kind: 'cmd', command: 'fetch "$1" | head' }],
  ])('%s', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });

  test.each(['/var/mail', 'maildir:', 'imap:host', 'maildir:a\0b', ''])('%j is none', text => {
    expect(() => parseMailbox(text)).toThrow(/maildir:PATH or cmd:COMMAND|null character/);
  });

  test.each([
    ['probe@acme.example', 'probe+TAG@acme.example'],
    ['{tag}@probe.acme.example', 'TAG@probe.acme.example'],
    ['probe-{tag}@acme.example', 'probe-TAG@acme.example'],
  ])('an address like %s', (form, address) => {
    expect(addressLike(form, 'TAG')).toBe(address);
  });
});

describe('a Maildir', () => {
  let path: string;
  beforeEach(async () => {
    path = await newMaildir();
  });

  async function follow(letters: ReturnType<typeof openLetters>, at = path) {
    const following = await followMailbox({ kind: 'maildir', path: at }, letters, mailReader(letters));
    onTestFinished(() => following.close());
  }

  test('is read from now on: mails of before, and those under delivery, are left alone', async () => {
    await writeFile(join(path, 'cur', 'old:2,S'), plain(me));
    const letters = openLetters(700);
    await follow(letters);
    await writeFile(join(path, 'tmp', 'unfinished'), plain(me));
    // Another mail program may move what was there before.
    await rename(join(path, 'cur', 'old:2,S'), join(path, 'cur', 'old:2,RS'));
    await expect(letters.secretTo(me, 0)).rejects.toThrow(
      /^no email to .* in the mailbox within 0.7 seconds/,
    );
  });

  test('is read once for each mail, wherever a mail program moves it', async () => {
    const letters = openLetters(10_000);
    await follow(letters);
    await deliver(path, plain(me));
    expect(await letters.secretTo(me, 0)).toBe(token);
    const [name] = await readdir(join(path, 'new'));
    await rename(join(path, 'new', name!), join(path, 'cur', `${name}:2,S`));
    const other = plain(me).replace(token, token.replace('sR5', 'xxx'));
    await deliver(path, other);
    expect(await letters.secretTo(me, 1)).toBe(token.replace('sR5', 'xxx'));
    expect(letters.mark()).toBe(2);
  });

  test('that is none, or can’t be read, is said at once', async () => {
    await expect(follow(openLetters(), join(path, 'new'))).rejects.toThrow(/is not a Maildir/);
    await expect(follow(openLetters(), join(path, 'absent'))).rejects.toThrow(/is not a Maildir/);
  });

  test('that goes away is said', async () => {
    const letters = openLetters(10_000);
    await follow(letters);
    await rename(path, `${path}-gone`);
    await expect(letters.secretTo(me, 0)).rejects.toThrow(/^the mailbox ended: ENOENT$/);
  });
});

describe('a command that prints mail', () => {
  async function follow(command: string, timeoutMs: number) {
    const letters = openLetters(timeoutMs);
    const following = await followMailbox({ kind: 'cmd', command }, letters, mailReader(letters));
    onTestFinished(() => following.close());
    return letters;
  }
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(inject('temporaryFolder'), 'mail-'));
  });

  test('is run until the mail is there, with the address that it is for', async () => {
    const file = join(folder, 'mail');
    await writeFile(file, plain(me));
    // The first run finds nothing yet.
    const once = `[ -e '${folder}/again' ] || { : > '${folder}/again'; exit 0; }; grep -q "$1" '${file}' && cat '${file}'`;
    const letters = await follow(once, 10_000);
    expect(await letters.secretTo(me, 0)).toBe(token);
    expect(await readdir(folder)).toContain('again');
  });

  test('that fails is said, in its own words', async () => {
    const letters = await follow('echo the mail server is asleep >&2; exit 3', 1500);
    const words = /within 1.5 seconds; the command of --mailbox ended with 3: the mail server is asleep$/;
    await expect(letters.secretTo(me, 0)).rejects.toThrow(words);
  });

  test('ends with everything that it started', async () => {
    const interruption = new AbortController();
    const letters = openLetters(20_000, interruption);
    // A part of it that runs beside it, and notes its end.
    const part = `trap "echo > '${folder}/ended'; exit" TERM; echo > '${folder}/begun'; while :; do sleep 0.05; done`;
    // The exit status of the shell is not read any more.
    const command = `(${part}) 2> /dev/null & wait`;
    const following = await followMailbox({ kind: 'cmd', command }, letters, mailReader(letters));
    const waiting = expect(letters.secretTo(me, 0)).rejects.toThrow(/aborted/);
    const notes = () => readdir(folder);
    await expect.poll(notes, patience).toEqual(['begun']);
    following.close();
    await expect.poll(notes, patience).toEqual(['begun', 'ended']);
    interruption.abort();
    await waiting;
  });
});

async function newMaildir(): Promise<string> {
  const path = await mkdtemp(join(inject('temporaryFolder'), 'maildir-'));
  for (const name of ['tmp', 'new', 'cur']) await mkdir(join(path, name));
  return path;
}

/** Delivers as a mail server does: the file appears whole. */
async function deliver(path: string, raw: string): Promise<void> {
  const name = randomUUID();
  await writeFile(join(path, 'tmp', name), raw);
  await rename(join(path, 'tmp', name), join(path, 'new', name));
}

describe('a deployment that sends its mails', () => {
  let server: Mailbox;
  let path: string;
  let deployment: Deployment;
  beforeAll(async () => {
    path = await newMaildir();
    server = await startMailbox({ deliver: ({ raw }: Mail) => deliver(path, raw) });
    const { host, port } = server;
    deployment = await startDeployment({
      email: { backend: 'smtp', smtpHost: host, smtpPort: port, smtpStarttls: false },
    });
  });
  afterAll(async () => {
    await deployment?.close();
    await server?.close();
  });

  const everybody = () => deployment.gatehouse.repositories.users.list({});
  const recipients = () => new Set(server.mails.flatMap(({ to }) => to));

  test('is walked through by a Maildir, with text messages from its log', async () => {
    const mailbox = { kind: 'maildir', path } as const;
    const addressForm = 'probe@acme.example';
    const checks = await probed(deployment, { mailbox, addressForm, phone: newPhone() });
    expect(checks.filter(({ outcome }) => outcome !== 'ok').map(({ name }) => name)).toEqual(
      // They are off.
      ['passkeys', 'totp', 'browser-sessions', 'tokens', 'api-keys', 'oauth'],
    );
    expect(await everybody()).toEqual([]);
    expect(recipients().size).toBe(2);
    for (const to of recipients()) expect(to).toMatch(/^probe\+gatehouse-probe-[0-9a-f]{16}@acme\.example$/);
  });

  test('is walked through by a command, without its log', async () => {
    const command = `for f in '${path}'/new/*; do echo "From somebody"; cat "$f"; done`;
    const mailbox = { kind: 'cmd', command } as const;
    const checks = await probed(deployment, { mailbox, logSource: null, phone: newPhone() });
    expect(checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([
      { name: 'passkeys', outcome: 'skip', detail: 'is off (enable_passkeys)' },
      { name: 'totp', outcome: 'skip', detail: 'is off (enable_totp)' },
      { name: 'sms', outcome: 'skip', detail: 'needs --log-source, where text messages are read' },
      { name: 'browser-sessions', outcome: 'skip', detail: 'is off (enable_browser_sessions)' },
      { name: 'tokens', outcome: 'skip', detail: 'is off (enable_tokens)' },
      { name: 'api-keys', outcome: 'skip', detail: 'is off (enable_api_keys)' },
      { name: 'oauth', outcome: 'skip', detail: 'is off (enable_oauth)' },
    ]);
    expect(await everybody()).toEqual([]);
    expect(JSON.stringify(checks)).not.toMatch(/eyJ|[\w-]{43}/);
  });

  test('whose mails go elsewhere is said, with what to do', async () => {
    const mailbox = { kind: 'maildir', path: await newMaildir() } as const;
    const checks = await probed(deployment, { mailbox, logSource: null, letterTimeoutMs: 600 });
    expect(checkOf(checks, 'register')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(/^no email to .* in the mailbox within .*--address names an address/),
    });
  });
});
