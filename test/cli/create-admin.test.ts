import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, jwtSecret, logIn, password, startApp, tokenOf } from '../support/app.ts';
import { newAddress } from '../support/people.ts';
import { svc as runSvc } from './support.ts';

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

const tokenIn = (text: string) => /token=([\w.-]+)/.exec(text)![1];

describe('svc create-admin', () => {
  test('creates a verified superuser who can sign in, and says no password', async () => {
    const email = newAddress();
    const ended = await createAdmin(` ${email.toUpperCase()}`, '--password', newPassword);
    expect(ended).toMatchObject({ code: 0, complaint: '' });
    expect(ended.stdout).not.toContain(newPassword);
    expect(await users().findByEmail(email)).toMatchObject({
      isSuperuser: true,
      isVerified: true,
      isActive: true,
      fullName: null,
    });
    await logIn(app, { email, password: newPassword });
  });

  test('takes the password from SVC_ADMIN_PASSWORD, where other users of the machine do not see it', async () => {
    const email = newAddress();
    const env = { SVC_ADMIN_PASSWORD: newPassword };
    expect(await svc(['create-admin', '--email', email], env)).toMatchObject({ code: 0, complaint: '' });
    await logIn(app, { email, password: newPassword });
  });

  test('takes the argument when both are there', async () => {
    const email = newAddress();
    const args = ['create-admin', '--email', email, '--password', newPassword];
    await svc(args, { SVC_ADMIN_PASSWORD: 'another password' });
    await logIn(app, { email, password: newPassword });
  });

  // Shows asvs/6.3.2.
  test('makes the schema on an empty database first', async () => {
    const url = `sqlite+aiosqlite:///${join(folder, `${randomUUID()}.db`)}`;
    const args = ['create-admin', '--email', newAddress(), '--password', newPassword];
    expect(await svc(args, { SVC_DATABASE_URL: url })).toMatchObject({ code: 0, complaint: '' });
  });

  test('promotes a verified account as it is: password, sessions and phone stay', async () => {
    const member = await signUpVerified();
    await users().change(member.id, { set: { phoneNumber: '+441234567890', isMfaEnabled: false } });
    const before = await users().find(member.id);
    const ended = await createAdmin(member.email);
    expect(ended).toEqual({
      code: 0,
      stdout: `${member.email} is a superuser now. It keeps its password; to choose another: svc user send-reset, or --take-over.\n`,
      complaint: '',
    });
    expect(await users().find(member.id)).toEqual({
      ...before,
      isSuperuser: true,
      updatedAt: expect.any(Date),
    });
    expect((await app.rest('GET', '/me', undefined, member)).body).toMatchObject({ is_superuser: true });
    await logIn(app, member);
  });

  test('changes nothing the second time, and says so', async () => {
    const member = await signUpVerified();
    await createAdmin(member.email);
    const before = await users().find(member.id);
    expect(await createAdmin(member.email)).toEqual({
      code: 0,
      stdout: `${member.email} is a superuser already; nothing was changed.\n`,
      complaint: '',
    });
    expect(await users().find(member.id)).toEqual(before);
  });

  test('makes a disabled superuser active again, with no session from before', async () => {
    // The host has disabled it in the database itself, where nothing ends its sessions.
    const member = await signUpVerified();
    await users().change(member.id, { set: { isSuperuser: true, isActive: false } });
    expect(await createAdmin(member.email)).toMatchObject({ code: 0 });
    expect(await users().find(member.id)).toMatchObject({ isSuperuser: true, isActive: true });
    expect((await app.rest('GET', '/me', undefined, member)).status).toBe(401);
    await logIn(app, member);
  });

  test('does not promote an account whose address was never verified as it is', async () => {
    // An attacker registers the address of the future administrator and waits to be promoted.
    const email = newAddress();
    await app.rest('POST', '/register', { email, password });
    const before = await users().findByEmail(email);
    expect(before).toMatchObject({ isVerified: false });
    for (const args of [[], ['--password', newPassword]])
      expectComplaint(await createAdmin(email, ...args), /never verified.*--take-over/);
    expect(await users().findByEmail(email)).toEqual(before);
  });

  test('takes over an account that was never verified, with everything that somebody left in it, and says so', async () => {
    // An attacker registers the address, plants ways in, and keeps them when it is promoted.
    const { repositories } = app.gatehouse;
    const email = newAddress();
    const { body } = await app.rest('POST', '/register', { email, password, full_name: 'Eve' });
    const stolen = await logIn(app, { email, password });
    await app.rest('POST', '/forgot-password', { email });
    const reset = tokenOf(await app.nextMail(email));
    await users().change(body.id, { set: { phoneNumber: '+441234567890', isMfaEnabled: true } });
    const now = app.clock.now();
    await repositories.oauth_identities.add({
      id: randomUUID(),
      provider: 'google',
      subjectId: randomUUID(),
      userId: body.id,
      email,
      linkedAt: now,
      lastUsedAt: null,
    } as never);

    const ended = await createAdmin(email, '--take-over');
    expect(ended).toMatchObject({ code: 0, complaint: '' });
    expect(ended.stdout).toMatch(
      /password, its sessions, its external identities, its phone, its authenticators and its API keys were/,
    );
    const invitation = tokenIn(ended.stdout);

    expect(await users().find(body.id)).toMatchObject({
      isSuperuser: true,
      isVerified: true,
      phoneNumber: null,
      isMfaEnabled: false,
    });
    expect(await repositories.oauth_identities.listByUser(body.id)).toEqual([]);
    expect((await app.rest('GET', '/me', undefined, { token: stolen })).status).toBe(401);
    const again = await app.rest('POST', '/reset-password', { token: reset, new_password: password });
    expect(again.body).toMatchObject({ code: 'invalid_token' });
    expect((await app.rest('POST', '/login', { email, password })).status).toBe(401);
    // The command runs by the real clock, which the app does not: test/requests/take-over accepts such an invitation.
    const claims = JSON.parse(Buffer.from(invitation!.split('.')[1]!, 'base64url').toString());
    expect(claims).toMatchObject({ sub: body.id, purpose: 'invitation' });
  });

  // Shows 63b/3.1.1.1#chosen-by-owner.
  test('promotes a verified account with a password given, and the account keeps its own', async () => {
    const member = await signUpVerified();
    const ended = await createAdmin(member.email, '--password', newPassword);
    expect(ended.stdout).toMatch(/keeps its password.*--take-over/);
    expect((await app.rest('GET', '/me', undefined, member)).status).toBe(200);
    await logIn(app, member);
  });

  // Shows asvs/6.3.7, 63b/4.2.3#notice.
  test('takes a superuser over, too, and tells the address', async () => {
    const member = await signUpVerified();
    await createAdmin(member.email);
    const own = await startApp({ databaseUrl });
    await (own.gatehouse as Assembled).operator.takeOver({ email: member.email });
    const subjects = [await own.nextMail(member.email), await own.nextMail(member.email)];
    expect(
      subjects
        .map(({ text }) => text)
        .join()
        .replace(/\s+/g, ' '),
    ).toContain('its phone and its authenticators were removed');
    expect((await app.rest('GET', '/me', undefined, member)).status).toBe(401);
    expect(await users().find(member.id)).toMatchObject({ hashedPassword: null, isSuperuser: true });
    await own.close();
  });

  test('takes over no account that is not there', async () => {
    expectComplaint(await createAdmin(newAddress(), '--take-over'), /There is no account with the address/);
  });

  test('leaves no link of a registration that was pending', async () => {
    // An attacker registers the address first and uses the link afterwards.
    const own = await startApp({ databaseUrl });
    const email = newAddress();
    await own.rest('POST', '/register', { email, password });
    const link = tokenOf(await own.nextMail(email));
    expect(await createAdmin(email, '--password', newPassword)).toMatchObject({ code: 0 });
    expect((await own.rest('POST', '/verify', { token: link })).body).toMatchObject({
      code: 'invalid_token',
    });
    expect((await own.rest('POST', '/login', { email, password })).status).toBe(401);
    await own.close();
  });

  test('says in one line that a password is needed when there is none and no terminal', async () => {
    const email = newAddress();
    expectComplaint(await createAdmin(email), /password.*SVC_ADMIN_PASSWORD/);
    expect(await users().findByEmail(email)).toBeNull();
  });

  test.each([
    ['a short password', '1234567'],
    ['a long password', 'x'.repeat(129)],
    ['an empty password', ''],
  ])('refuses %s in one line that does not repeat it', async (_, given) => {
    const email = newAddress();
    const ended = await createAdmin(email, '--password', given);
    expectComplaint(ended, /password must have 8 to 128 characters/);
    if (given) expect(ended.complaint).not.toContain(given);
    expect(await users().findByEmail(email)).toBeNull();
  });

  test.each(['nobody', '', 'a@oauth.invalid', 'a b@example.org'])('refuses the address %j', async email => {
    expectComplaint(await createAdmin(email, '--password', newPassword), /^--email\b.*: (must|can't) /);
  });

  test('needs an address', async () => {
    const ended = await svc(['create-admin', '--password', newPassword]);
    expect(ended.code).toBeGreaterThanOrEqual(1);
    expect(ended.complaint).toMatch(/--email/);
  });

  test('says in one line that the database cannot be used', async () => {
    const env = { SVC_DATABASE_URL: `sqlite+aiosqlite:///${join(folder, 'no', 'such', 'folder.db')}` };
    const ended = await svc(['create-admin', '--email', newAddress(), '--password', newPassword], env);
    expectComplaint(ended, /folder/);
  });
});

/** An account with a session whose address is verified. */
async function signUpVerified() {
  const email = newAddress();
  const { body } = await app.rest('POST', '/register', { email, password });
  await users().change(body.id, { set: { isVerified: true } });
  return { id: body.id as string, email, password, token: await logIn(app, { email, password }) };
}
