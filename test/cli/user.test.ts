import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  type App,
  dataEncryptionKey,
  jwtSecret,
  logIn,
  password,
  startApp,
  TestClock,
  tokenOf,
} from '../support/app.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';
import { newAddress } from '../support/people.ts';
import { addFactors, setUpTotp, storePasskey, strongSettings } from '../support/strong.ts';
import { svc as runSvc } from './support.ts';
import { hasPython, inTerminal, keys } from './terminal.ts';

const strongEnv = {
  SVC_ENABLE_TOTP: 'true',
  SVC_ENABLE_PASSKEYS: 'true',
  SVC_ENABLE_SESSION_LIST: 'true',
  SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
};
const newPassword = 'the password of the operator';
let folder: string;
let databaseUrl: string;
let app: App;
beforeAll(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'cli-admin-'));
  databaseUrl = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
  app = await startApp({ databaseUrl, settings: { requireVerification: false } });
});
afterAll(() => app?.close());

interface Ended {
  code: number;
  stdout: string;
  /** Standard error, less the line that says which files were read. */
  complaint: string;
}

/** What a command wrote to standard error beside the files it read and the audit record of what it did. */
const complaintIn = (stderr: string) =>
  stderr
    .split(/(?<=\n)/)
    .filter(line => !/^read |"msg":"audit"/.test(line))
    .join('');

/** Runs `svc` on the database that the app is on too. */
async function svc(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const settings = { SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl };
  const { stderr, ...ended } = await runSvc(args, { cwd: folder, env: { ...settings, ...env } });
  return { ...ended, complaint: complaintIn(stderr) };
}

const createAdmin = (email: string, ...rest: string[]) => svc(['create-admin', '--email', email, ...rest]);
const users = () => app.gatehouse.repositories.users;

/** Failed with one line that says so, and nothing else. */
function expectComplaint(ended: Ended, line: RegExp) {
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.complaint).toMatch(line);
  expect(ended.complaint.trimEnd()).not.toContain('\n');
}

describe('svc user', () => {
  test('show prints the account as UserPublic, and no hash', async () => {
    const member = await signUpVerified();
    const { code, stdout, complaint } = await user('show', member.email.toUpperCase());
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    expect(JSON.parse(stdout)).toEqual({
      ...(await app.rest('GET', '/me', undefined, member)).body,
      locked_until: { login: null, current_password: null, code: null },
      password_set_at: expect.any(String),
    });
    expect(stdout).not.toMatch(/argon2|hash/);
  });

  test('show has every own field, those of the host alone too, and the roles', async () => {
    const { id, email } = await signUpVerified();
    const roles = { known: ['editor'], given: ['editor'] };
    await users().change(id, { fields: { customer_key: 'k-7', company: 'Acme' }, roles });
    const shown = await svc(['user', 'show', '--email', email], {
      SVC_USER_FIELDS__customer_key__VISIBLE_TO: 'host',
      SVC_USER_FIELDS__company__TYPE: 'string',
      SVC_USER_FIELDS__born__TYPE: 'date',
      SVC_ROLES: 'editor,billing',
    });
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      fields: { customer_key: 'k-7', company: 'Acme', born: null },
      roles: ['editor'],
    });
    expect(JSON.parse((await svc(['user', 'show', '--email', email])).stdout)).not.toHaveProperty('fields');
  });

  test('create makes an account as administration does, and role gives and takes roles', async () => {
    const email = newAddress();
    const withRoles = (...args: string[]) => svc(['user', ...args], { SVC_ROLES: 'editor,billing' });
    const options = [
      '--name',
      'Ada King',
      '--role',
      'billing',
      '--role',
      'editor',
      '--verified',
      '--no-invite',
    ];
    expect(await withRoles('create', '--email', email.toUpperCase(), ...options)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^The account of ${email} is created; its id is [-0-9a-f]+\\.\n$`),
      complaint: '',
    });
    const made = { fullName: 'Ada King', isVerified: true, isSuperuser: false, hashedPassword: null };
    expect(await users().findByEmail(email)).toMatchObject({ ...made, roles: ['billing', 'editor'] });
    expectComplaint(await withRoles('create', '--email', email), /address/);

    const role = (...args: string[]) => withRoles('role', '--email', email, ...args);
    expect((await role('--remove', 'editor')).stdout).toBe(`The roles of ${email}: billing.\n`);
    expect((await role('--add', 'editor', '--remove', 'billing')).stdout).toBe(
      `The roles of ${email}: editor.\n`,
    );
    expect((await role('--remove', 'editor')).stdout).toBe(`${email} has no role.\n`);
    expectComplaint(await role('--add', 'king'), /^"king" is not a role .*\(roles: editor, billing\)/);
    expectComplaint(await role(), /use --add ROLE or --remove ROLE/);
    expectComplaint(
      await svc(['user', 'create', '--email', newAddress(), '--role', 'editor']),
      /"editor" is not a role of this configuration \(roles: none\)/,
    );
  });

  test('name the option whose value is refused', async () => {
    const email = newAddress();
    const name = 'x'.repeat(201);
    expectComplaint(await svc(['user', 'create', '--email', 'nobody']), /^--email nobody: must be/);
    expectComplaint(
      await svc(['user', 'create', '--email', email, '--name', name]),
      new RegExp(`^--name ${name}: must have`),
    );
    const { email: present } = await signUpVerified();
    expectComplaint(await svc(['user', 'change-email', present, '--to', 'nobody']), /^--to nobody: must be/);
    expectComplaint(await svc(['user', 'show', 'nobody']), /^address nobody: must be/);
  });

  test('show lists factors and sessions while they are switched on', async () => {
    const own = await startApp({
      databaseUrl,
      settings: { ...strongSettings, requireVerification: false },
      clock: new TestClock(new Date().toISOString()),
    });
    const { email, id } = await signUpVerified();
    const token = await logIn(own, { email, password });
    await setUpTotp(own, { token }, 'Pixel');
    await storePasskey(own, { id }, 'Yubikey');
    await own.close();
    const shown = await svc(['user', 'show', '--email', email], strongEnv);
    const { authenticators, recovery_codes_left, sessions } = JSON.parse(shown.stdout);
    const times = { created_at: expect.any(String), last_used_at: null };
    expect(authenticators).toEqual([
      { id: expect.any(String), kind: 'totp', name: 'Pixel', ...times },
      { id: expect.any(String), kind: 'passkey', name: 'Yubikey', ...times, is_synced: true },
    ]);
    expect(recovery_codes_left).toBe(10);
    const session = {
      ...{ id: expect.any(String), ip: expect.any(String), device: null },
      ...{ created_at: expect.any(String), last_seen_at: expect.any(String), expires_at: expect.any(String) },
    };
    // That of the sign-in, and that of both proofs which the set-up answered.
    expect(sessions).toHaveLength(2);
    for (const method of ['password', 'mfa']) expect(sessions).toContainEqual({ ...session, method });
    expect(shown.stdout).not.toMatch(/secret|hash|publicKey|public_key/i);
  });

  test('disable-mfa takes authenticators and recovery codes off, too', async () => {
    const own = await startApp({
      databaseUrl,
      settings: { ...strongSettings, requireVerification: false },
      clock: new TestClock(new Date().toISOString()),
    });
    const member = await signUpVerified();
    const { email, id } = member;
    await addFactors(own, { ...member, token: await logIn(own, { email, password }) });
    await own.close();
    const ended = await svc(['user', 'disable-mfa', '--email', email], strongEnv);
    expect(ended).toMatchObject({
      code: 0,
      stdout: `Every second factor of ${email} was removed.\n`,
      complaint: '',
    });
    const { authenticators, recovery_codes } = app.gatehouse.repositories;
    expect(await authenticators.listByUser(id)).toEqual([]);
    expect(await recovery_codes.find(id)).toBeNull();
    expect(await users().find(id)).toMatchObject({ isMfaEnabled: false });
    await logIn(app, { email, password });
  });

  test('show says until when the account is locked', async () => {
    const own = await startOnMachineTime();
    const { email } = await signUpVerified();
    for (let i = 0; i < 5; i++) await own.rest('POST', '/login', { email, password: 'wrong password' });
    await own.close();
    const { login, ...others } = JSON.parse((await user('show', email)).stdout).locked_until;
    expect(Date.parse(login) - Date.now()).toBeLessThanOrEqual(900_000);
    expect(Date.parse(login)).toBeGreaterThan(Date.now());
    expect(others).toEqual({ current_password: null, code: null });
  });

  test('finds an account by its id too', async () => {
    const member = await signUpVerified();
    const byId = (command: string, ...more: string[]) => svc(['user', command, '--id', member.id, ...more]);
    expect(JSON.parse((await byId('show')).stdout)).toMatchObject({ email: member.email });
    expect(await byId('disable')).toMatchObject({ code: 0, stdout: `${member.email} is disabled.\n` });
    expect(await byId('delete', '--yes')).toMatchObject({
      code: 0,
      stdout: `${member.email} was deleted.\n`,
    });
    expectComplaint(await byId('show'), new RegExp(`no account with the id ${member.id}`));
    expectComplaint(await svc(['user', 'show', '--id', 'x'.repeat(300)]), /^id is too long/);
  });

  test('delete asks in a terminal only, and elsewhere wants --yes', async () => {
    const member = await signUpVerified();
    expectComplaint(await user('delete', member.email), /no terminal .*--yes/);
    expect(await users().find(member.id)).not.toBeNull();
    const deleted = await svc(['user', 'delete', '--email', member.email, '--yes']);
    expect(deleted).toEqual({ code: 0, stdout: `${member.email} was deleted.\n`, complaint: '' });
    expect(await users().find(member.id)).toBeNull();
    expect((await app.rest('GET', '/me', undefined, member)).status).toBe(401);
  });

  test.skipIf(!hasPython)('delete asks in a terminal, and does nothing unless told to', async () => {
    const member = await signUpVerified();
    const env = { SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: databaseUrl };
    const remove = () => inTerminal(['user', 'delete', member.email], { cwd: folder, env });
    const question = `Delete ${member.email}, created `;
    for (const pressed of [keys.enter, keys.interrupt]) {
      const refused = await remove();
      await refused.answer(question, pressed);
      expect(await refused.ended).toBe(1);
      expect(refused.output()).toContain('Nothing was changed.');
      expect(await users().find(member.id)).not.toBeNull();
    }
    const agreed = await remove();
    await agreed.answer(question, 'y');
    expect(await agreed.ended).toBe(0);
    expect(agreed.output()).toContain(`${member.email} was deleted.`);
    expect(await users().find(member.id)).toBeNull();
  });

  test('delete refuses the last superuser', async () => {
    const { email } = await signUpVerified();
    await createAdmin(email);
    for (const other of await users().list({ kind: { isSuperuser: true } })) {
      if (other.email !== email) await users().change(other.id, { set: { isSuperuser: false } });
    }
    expectComplaint(await svc(['user', 'delete', email, '--yes']), /last/);
    expect(await users().findByEmail(email)).not.toBeNull();
  });

  describe('with a mail server', () => {
    let mailbox: Mailbox;
    beforeAll(async () => {
      mailbox = await startMailbox();
    });
    afterAll(() => mailbox.close());

    const mailed = (command: string, email: string, options: string[] = [], env = {}) =>
      svc(['user', command, '--email', email, ...options], {
        ...env,
        SVC_EMAIL__BACKEND: 'smtp',
        SVC_EMAIL__SMTP_HOST: mailbox.host,
        SVC_EMAIL__SMTP_PORT: String(mailbox.port),
        SVC_EMAIL__SMTP_STARTTLS: 'false',
      });

    test('send-reset mails a link that works, and says that it was sent', async () => {
      const { email } = await signUpVerified();
      const sent = `A link to set a new password was sent to ${email}.\n`;
      expect(await mailed('send-reset', email)).toEqual({ code: 0, stdout: sent, complaint: '' });
      const mail = mailbox.mails.find(({ to }) => to.includes(email))!;
      const own = await startOnMachineTime();
      const reset = { token: tokenOf(mail), new_password: newPassword };
      expect((await own.rest('POST', '/reset-password', reset)).status).toBe(200);
      await logIn(own, { email, password: newPassword });
      await own.close();
    });

    test('invite mails a link to choose a password', async () => {
      const own = await startOnMachineTime();
      const { email } = await own.gatehouse.users.create({ email: newAddress() });
      const sent = `An invitation was sent to ${email}.\n`;
      expect(await mailed('invite', email)).toEqual({ code: 0, stdout: sent, complaint: '' });
      const mail = mailbox.mails.find(({ to }) => to.includes(email))!;
      const accepted = { token: tokenOf(mail), password: newPassword };
      expect((await own.rest('POST', '/accept-invitation', accepted)).status).toBe(200);
      await logIn(own, { email, password: newPassword });
      await own.close();
      expectComplaint(await mailed('invite', email), /nothing to accept/);
    });

    test('create mails an invitation to the account that it makes', async () => {
      const email = newAddress();
      const made = await mailed('create', email);
      expect(made).toMatchObject({ code: 0, complaint: '' });
      const { id } = (await users().findByEmail(email))!;
      expect(made.stdout).toBe(
        `The account of ${email} is created; its id is ${id}.\nAn invitation was sent to ${email}.\n`,
      );
      const accepted = {
        token: tokenOf(mailbox.mails.find(({ to }) => to.includes(email))!),
        password: newPassword,
      };
      const own = await startOnMachineTime();
      expect((await own.rest('POST', '/accept-invitation', accepted)).status).toBe(200);
      await own.close();
    });

    test('resend-verification mails a link, to a registration that waits too', async () => {
      const own = await startOnMachineTime();
      const email = newAddress();
      await own.rest('POST', '/register', { email, password });
      expect(await mailed('resend-verification', email)).toMatchObject({ code: 0, complaint: '' });
      const mail = mailbox.mails.find(({ to }) => to.includes(email))!;
      expect((await own.rest('POST', '/verify', { token: tokenOf(mail) })).status).toBe(200);
      await own.close();
      expectComplaint(await mailed('resend-verification', email), /already verified/);
    });

    test('says in one line that the mail could not be delivered', async () => {
      const { email } = await signUpVerified();
      mailbox.behave({ reject: 550, times: 1 });
      const { code, stdout, complaint } = await mailed('send-reset', email);
      expect([code, stdout]).toEqual([1, '']);
      const [record, line, ...rest] = complaint.trimEnd().split('\n');
      expect(JSON.parse(record!)).toMatchObject({ msg: 'email not sent, given up', kind: 'password-reset' });
      expect(line).toMatch(/^The email could not be delivered; the record above says why\./);
      expect(rest).toEqual([]);
      expect(complaint).not.toContain(email);
    });

    test.each([
      ['change-email', /^The address of the account is \S+\. Every session has ended\.\n$/],
      ['require-new-password', /^The password of \S+ no longer signs in\.\n$/],
      ['create', /^The account of \S+ is created; its id is \S+\.\n$/],
    ])('%s says what it has done, and then that the mail could not be delivered', async (command, done) => {
      const email = command === 'create' ? newAddress() : (await signUpVerified()).email;
      mailbox.behave({ reject: 550 });
      const moved = command === 'change-email' ? ['--to', newAddress()] : [];
      const { code, stdout, complaint } = await mailed(command, email, moved);
      mailbox.behave('accept');
      expect([code, stdout]).toEqual([1, expect.stringMatching(done)]);
      const next = { create: 'invite', 'change-email': 'resend-verification' }[command] ?? 'send-reset';
      expect(complaint).toMatch(
        new RegExp(`\nThe email could not be delivered; .* Later: svc user ${next}\\.\n$`),
      );
    });

    test('does not say that the service tries again what it gave up', async () => {
      const { email } = await signUpVerified();
      mailbox.behave({ reject: 550, times: 1 });
      const env = { SVC_MAIL_STORE: 'database', SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey };
      const { code, complaint } = await mailed('send-reset', email, [], env);
      const [message] = await app.gatehouse.repositories.outbox.list({}, { limit: 1 });
      const { id } = message!;
      expect([code, complaint]).toEqual([
        1,
        expect.stringContaining(` It was given up: mend the cause, then svc outbox retry ${id}.\n`),
      ]);
      await app.gatehouse.repositories.outbox.remove(id);
    });

    test('says that nothing was sent when the address has had too many mails', async () => {
      const { email } = await signUpVerified();
      for (let i = 0; i < 5; i++) expect(await mailed('send-reset', email)).toMatchObject({ code: 0 });
      expectComplaint(await mailed('send-reset', email), /^Nothing was sent: .* at most 5 /);
      expect(mailbox.mails.filter(({ to }) => to.includes(email))).toHaveLength(5);
    });
  });

  test('with the console backend, says that nothing was mailed, and shows the mail where bodies are shown', async () => {
    const { email } = await signUpVerified();
    const hidden = await user('send-reset', email);
    expect(hidden.code).toBe(0);
    expect(hidden.stdout).toMatch(/^mail to .*\nNothing was sent, .*email\.log_bodies = true prints/);
    const shown = await svc(['user', 'send-reset', email], { SVC_EMAIL__LOG_BODIES: 'true' });
    expect(shown.stdout).toMatch(/token=[\s\S]*\nNothing was sent, .* printed above\.\n$/);
  });

  test('unlock lets somebody in whom wrong passwords locked out', async () => {
    const member = await signUpVerified();
    const { email } = member;
    for (let i = 0; i < 5; i++) await app.rest('POST', '/login', { email, password: 'wrong password' });
    expect((await app.rest('POST', '/login', { email, password })).status).toBe(429);
    expect(await user('unlock', email)).toMatchObject({ code: 0, complaint: '' });
    await logIn(app, member);
  });

  // Shows asvs/7.4.5.
  test('revoke ends every session, and the next login works', async () => {
    const member = await signUpVerified();
    expect(await user('revoke', member.email)).toMatchObject({ code: 0, complaint: '' });
    expect((await app.rest('GET', '/me', undefined, member)).status).toBe(401);
    const token = await logIn(app, member);
    expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
  });

  // Shows 63b/4.3#suspend.
  test('disable keeps an account out until enable lets it in again, and no former session comes back', async () => {
    const member = await signUpVerified();
    const login = () => app.rest('POST', '/login', { email: member.email, password });
    const me = () => app.rest('GET', '/me', undefined, { token: member.token });
    expect(await user('disable', member.email)).toMatchObject({ code: 0, complaint: '' });
    expect([(await me()).status, (await login()).status]).toEqual([401, 403]);
    expect(await user('disable', member.email)).toMatchObject({ code: 0, complaint: '' });
    expect(await user('enable', member.email)).toMatchObject({ code: 0, complaint: '' });
    expect([(await me()).status, (await login()).status]).toEqual([401, 200]);
  });

  test('disable refuses the last superuser', async () => {
    const { email } = await signUpVerified();
    expect(await createAdmin(email)).toMatchObject({ code: 0 });
    for (const other of await users().list({ kind: { isSuperuser: true } })) {
      if (other.email !== email) await users().change(other.id, { set: { isSuperuser: false } });
    }
    expectComplaint(await user('disable', email), /last/);
    expect((await users().findByEmail(email))?.isActive).toBe(true);
  });

  test('disable-mfa takes the second factor off, and nothing else', async () => {
    const member = await signUpVerified();
    await users().change(member.id, { set: { phoneNumber: '+441234567890', isMfaEnabled: true } });
    const before = await users().find(member.id);
    expect(await user('disable-mfa', member.email)).toMatchObject({ code: 0, complaint: '' });
    const after = { ...before, phoneNumber: null, isMfaEnabled: false, updatedAt: expect.any(Date) };
    expect(await users().find(member.id)).toEqual(after);
  });

  test.each([
    ...['show', 'unlock', 'revoke', 'disable', 'enable', 'disable-mfa'],
    ...['send-reset', 'resend-verification', 'delete'],
  ])('%s says in one line that there is no such user', async command => {
    const email = newAddress();
    expectComplaint(await user(command, email), new RegExp(`no account.*${email}`));
  });

  test.each(['show', 'unlock', 'revoke', 'disable-mfa'])(
    '%s refuses what is no address in one line',
    async command => {
      expectComplaint(await user(command, 'nobody'), /^--email nobody: must be/);
    },
  );

  test('takes the address as an argument, too', async () => {
    const { email } = await signUpVerified();
    expect(await svc(['user', 'show', email])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(email),
    });
  });

  test('says that a registration waits for its confirmation, and so does create-admin', async () => {
    const email = newAddress();
    const createdAt = new Date();
    await app.gatehouse.repositories.pending.add({
      ...{ email, tokenHash: randomUUID(), userId: null, hashedPassword: 'x', fullName: null },
      ...{
        passwordForm: null,
        isContested: false,
        claimedAt: null,
        fields: null,
        fieldsAt: null,
        locale: null,
      },
      ...{ createdAt, expiresAt: new Date(createdAt.getTime() + 60_000) },
    });
    expectComplaint(await user('show', email), /is pending; there is no account until its link is used/);
    expectComplaint(await createAdmin(email), /is pending\. .*SVC_ADMIN_PASSWORD/);
  });

  test.each([
    ['user', '--help'],
    ['user', 'show', '--help'],
    ['create-admin', '--help'],
  ])('%s %s is help asked for, not a failure', async (...args) => {
    expect(await svc(args)).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: svc') });
  });

  const user = (command: string, email: string) => svc(['user', command, '--email', email]);
});

/** An app on the same database with the time of the machine, which is what a command has. */
const startOnMachineTime = () => startApp({ databaseUrl, clock: new TestClock(new Date().toISOString()) });

/** An account with a session whose address is verified. */
async function signUpVerified() {
  const email = newAddress();
  const { body } = await app.rest('POST', '/register', { email, password });
  await users().change(body.id, { set: { isVerified: true } });
  return { id: body.id as string, email, password, token: await logIn(app, { email, password }) };
}
