import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GatehouseError } from '../../src/errors.ts';
import { type EventName, eventNames } from '../../src/event-names.ts';
import type { Users } from '../../src/server-api/users.ts';
import { type App, logIn, password, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { asInNode } from '../support/in-node.ts';
import { newAddress } from '../support/people.ts';

/** What a refused call is refused with. */
const refusal = (call: Promise<unknown>): Promise<GatehouseError> =>
  call.then(
    value => Promise.reject(new Error(`It was not refused: ${JSON.stringify(value)}`)),
    error => error,
  );

const codeOf = async (call: Promise<unknown>) => (await refusal(call)).code;

/** Every event from now on, without those of the audit. */
function listen(app: App) {
  const heard: [EventName, unknown][] = [];
  for (const name of eventNames) {
    if (name !== 'audit') app.gatehouse.on(name, event => void heard.push([name, event]));
  }
  return heard;
}

const auditOf = (app: App) =>
  app.logs.filter(({ message }) => message === 'audit').map(({ fields }) => fields);

describeEachDriver('accounts in the server API', backend => {
  let app: App;
  let users: Users;
  beforeAll(async () => {
    // Administration is off: the server API does not depend on it.
    app = await startApp({ backend });
    users = app.gatehouse.users;
  });
  afterAll(() => app?.close());

  const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).body;

  test('are found by id and by address, in any case, as their owner sees them', async () => {
    const member = await signUp(app);
    const seen = asInNode(await me(member.token));
    expect(await users.find(member.id)).toEqual(seen);
    expect(await users.findByEmail(` ${member.email.toUpperCase()}`)).toEqual(seen);
    expect(seen).not.toHaveProperty('hashedPassword');
  });

  test('that do not exist are not found', async () => {
    const id = randomUUID();
    const calls = [
      ...[users.invite(id), users.update(id, {}), users.changeEmail(id, { email: newAddress() })],
      ...[users.disable(id), users.enable(id), users.remove(id), users.endSessions(id)],
      app.gatehouse.sessions.issue(id, { method: 'saml' }),
    ];
    expect(new Set(await Promise.all(calls.map(codeOf)))).toEqual(new Set(['not_found']));
    // As long as an id can be.
    for (const found of [users.find(id), users.find('x'.repeat(64)), users.findByEmail(newAddress())])
      expect(await found).toBeNull();
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(65)],
    ['with NUL', 'a\0b'],
    ['not a text', 7],
    ['an object', { $ne: null }],
    ['missing', undefined],
    ['null', null],
  ])('an id that can be none is invalid: %s', async (_, given) => {
    const id = given as string;
    const calls = [
      ...[users.find(id), users.invite(id), users.update(id, { fullName: 'Ada' }), users.disable(id)],
      ...[users.enable(id), users.remove(id), users.endSessions(id)],
      app.gatehouse.sessions.issue(id, { method: 'saml' }),
    ];
    for (const error of await Promise.all(calls.map(refusal))) {
      expect([error.name, error.code, error.errors?.[0]?.path]).toEqual([
        'GatehouseError',
        'invalid_input',
        'id',
      ]);
    }
  });

  test('an invalid field is named as it was given', async () => {
    const wrong = { email: newAddress(), password: 'secr3t', fullName: 7, isVerified: 'yes', typo: 1 };
    const { errors } = await refusal(users.create(wrong as never));
    expect(errors?.map(({ path }) => path).toSorted()).toEqual([
      'fullName',
      'isVerified',
      'password',
      'typo',
    ]);
    expect(JSON.stringify(errors)).not.toContain('secr3t');
    const { errors: ofUpdate } = await refusal(users.update(randomUUID(), { isSuperuser: 1 } as never));
    expect(ofUpdate?.map(({ path }) => path)).toEqual(['isSuperuser']);
    for (const nothing of [null, 'x', [], 7]) {
      expect(await codeOf(users.create(nothing as never))).toBe('invalid_input');
      expect(await codeOf(users.update(randomUUID(), nothing as never))).toBe('invalid_input');
    }
    expect(await codeOf(users.create({ email: 'nobody' }))).toBe('invalid_input');
    expect(await codeOf(users.create({ email: 'x@oauth.invalid' }))).toBe('invalid_input');
    expect(await codeOf(users.findByEmail('nobody'))).toBe('invalid_input');
    expect(await codeOf(users.list({ limit: 0 }))).toBe('invalid_input');
  });

  test('made with a password sign in once the address is verified', async () => {
    const email = newAddress();
    const user = await users.create({ email: email.toUpperCase(), password, fullName: ' Ada ' });
    expect(user).toMatchObject({
      ...{ email, fullName: 'Ada', isVerified: false, isSuperuser: false, isActive: true },
      ...{ lastLogin: null, phoneNumber: null, isMfaEnabled: false },
    });
    const refused = await app.rest('POST', '/login', { email, password });
    expect(refused.body.code).toBe('email_not_verified');

    const verified = newAddress();
    await users.create({ email: verified, password, isVerified: true });
    expect(await me(await logIn(app, { email: verified, password }))).toMatchObject({ is_verified: true });
  });

  test('made without a password and without an invitation have none, and get one by a reset', async () => {
    const email = newAddress();
    const { id } = await users.create({ email });
    expect((await app.gatehouse.repositories.users.find(id))?.hashedPassword).toBeNull();
    for (const guess of ['', password]) {
      expect((await app.rest('POST', '/login', { email, password: guess })).body.code).toBe(
        'invalid_credentials',
      );
    }
    expect(app.mails.filter(({ to }) => to === email)).toEqual([]);
    await app.rest('POST', '/forgot-password', { email });
    const token = /token=([\w.-]+)/.exec((await app.nextMail(email)).text)![1];
    await app.rest('POST', '/reset-password', { token, new_password: password });
    expect(await me(await logIn(app, { email, password }))).toMatchObject({ id, is_verified: true });
  });

  test('of an address that is taken cannot be made', async () => {
    const { email } = await signUp(app);
    expect(await codeOf(users.create({ email: email.toUpperCase() }))).toBe('email_taken');
    expect(await codeOf(users.create({ email, invite: true }))).toBe('email_taken');
    expect(app.mails.filter(({ to, subject }) => to === email && /Your account/.test(subject))).toEqual([]);
  });

  test('become superusers only with a verified address, unless the host insists', async () => {
    const unverified = { email: newAddress(), isSuperuser: true };
    expect(await codeOf(users.create(unverified))).toBe('email_not_verified');
    expect(await users.findByEmail(unverified.email)).toBeNull();
    const verified = await users.create({ ...unverified, isVerified: true });
    expect(verified.isSuperuser).toBe(true);
    const other = await users.create({ ...unverified, email: newAddress(), evenUnverified: true });
    expect(other).toMatchObject({ isSuperuser: true, isVerified: false });

    const { id } = await users.create({ email: newAddress() });
    expect(await codeOf(users.update(id, { isSuperuser: true }))).toBe('email_not_verified');
    expect(await users.update(id, { isSuperuser: true, evenUnverified: true })).toMatchObject({
      isSuperuser: true,
    });
    for (const user of [verified, other]) await users.update(user.id, { isSuperuser: false });
    // The last one keeps the rights.
    expect(await codeOf(users.update(id, { isSuperuser: false }))).toBe('last_superuser');
    expect(await codeOf(users.disable(id))).toBe('last_superuser');
    expect(await codeOf(users.remove(id))).toBe('last_superuser');
    expect(await users.find(id)).toMatchObject({ isSuperuser: true, isActive: true });
  });

  test('change in what is given and in nothing else', async () => {
    const member = await signUp(app);
    const before = await users.find(member.id);
    expect(await users.update(member.id, {})).toEqual(before);
    app.clock.advance(1);
    const named = await users.update(member.id, { fullName: 'Ada Lovelace' });
    expect(named).toEqual({
      ...before,
      fullName: 'Ada Lovelace',
      updatedAt: app.clock.now(),
    });
    expect(await users.update(member.id, { fullName: null })).toMatchObject({ fullName: null });
    // The account is named once.
    const other = await signUp(app);
    const twice = users.update(member.id, { fullName: 'Grace', id: other.id } as never);
    expect(await codeOf(twice)).toBe('invalid_input');
    expect(await users.find(other.id)).toMatchObject({ fullName: null });
    expect(await me(member.token)).toMatchObject({ full_name: null });
  });

  test('are disabled and enabled, and lose their sessions', async () => {
    const member = await signUp(app);
    expect(await users.disable(member.id)).toMatchObject({ isActive: false });
    expect(await me(member.token)).toMatchObject({ code: 'unauthenticated' });
    expect((await app.rest('POST', '/login', member_(member))).body.code).toBe('account_disabled');
    expect(await users.enable(member.id)).toMatchObject({ isActive: true });
    expect(await me(member.token)).toMatchObject({ code: 'unauthenticated' });
    const token = await logIn(app, member);
    expect(await users.endSessions(member.id)).toMatchObject({ isActive: true, id: member.id });
    expect(await me(token)).toMatchObject({ code: 'unauthenticated' });
    expect(await me(await logIn(app, member))).toMatchObject({ id: member.id });
  });

  test('are removed, and what is returned is what they were', async () => {
    const member = await signUp(app);
    const before = await users.find(member.id);
    expect(await users.remove(member.id)).toEqual(before);
    expect(await users.find(member.id)).toBeNull();
    expect(await codeOf(users.remove(member.id))).toBe('not_found');
    expect(await me(member.token)).toMatchObject({ code: 'unauthenticated' });
    expect(await users.create({ email: member.email })).not.toMatchObject({ id: member.id });
  });

  test('are listed as administration lists them', async () => {
    const word = randomUUID();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const user = await users.create({ email: `${word}-${n}@example.org`, isVerified: n === 2 });
      ids.unshift(user.id);
      app.clock.advance(1);
    }
    const page = await users.list({ search: word, limit: 2 });
    expect(page).toMatchObject({ total: 3, skip: 0, limit: 2, hasMore: true });
    expect(page.items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const rest = await users.list({ search: word, limit: 2, skip: 2 });
    expect(rest.items.map(({ id }) => id)).toEqual(ids.slice(2));
    const verified = await users.list({ search: word, isVerified: true });
    expect(verified.items).toEqual([await users.find(ids[1]!)]);
    expect((await users.list()).limit).toBe(50);
  });
});

const member_ = ({ email, password }: { email: string; password: string }) => ({ email, password });

describe('what the host does', () => {
  let app: App;
  let heard: ReturnType<typeof listen>;
  beforeAll(async () => {
    app = await startApp({ settings: { mailsPerAddressPerHour: 2 } });
    heard = listen(app);
  });
  afterAll(() => app?.close());

  test('fires the events of every other door, by the host', async () => {
    const { users } = app.gatehouse;
    const { id } = await users.create({ email: 'ada@example.org', password, isVerified: true });
    await users.update(id, { fullName: 'Ada' });
    await users.update(id, {});
    await users.find(id);
    await users.remove(id);
    const user = expect.objectContaining({ id });
    expect(heard.splice(0)).toEqual([
      ['user_registered', { user, by: 'host' }],
      ['user_updated', { user, by: 'host' }],
      ['user_deleted', { user, by: 'host' }],
    ]);
  });

  test('tells the owner of a deletion, by the host', async () => {
    const { users } = app.gatehouse;
    const { id, email } = await users.create({ email: newAddress(), password, isVerified: true });
    await users.remove(id);
    const { kind, text } = await app.nextMail(email);
    expect(kind).toBe('account-deleted');
    expect(text).toContain('By: the application itself');
  });

  test('is audited as done by the host, refused acts too; what it reads is not', async () => {
    const { users } = app.gatehouse;
    app.logs.length = 0;
    const { id } = await users.create({ email: 'grace@example.org', isVerified: true, isSuperuser: true });
    await users.find(id);
    await users.findByEmail('grace@example.org');
    await users.list();
    await users.update(id, { fullName: 'Grace' });
    await codeOf(users.disable(id));
    await codeOf(users.create({ email: 'grace@example.org', invite: true }));
    await codeOf(users.remove(randomUUID()));
    const host = { by: 'host', actor: null, ip: null, request_id: null };
    const subject = id;
    expect(auditOf(app)).toMatchObject([
      {
        act: 'adminCreateUser',
        ...host,
        subject,
        outcome: 'ok',
        changes: ['is_verified:true', 'is_superuser:true'],
      },
      { act: 'adminUpdateUser', ...host, subject, outcome: 'ok', changes: ['full_name'] },
      { act: 'adminUpdateUser', ...host, subject, outcome: 'refused', reason: 'last_superuser' },
      { act: 'adminCreateUser', ...host, subject: null, reason: 'email_taken', changes: ['invited'] },
      { act: 'adminDeleteUser', ...host, subject: null, outcome: 'refused', reason: 'not_found' },
    ]);
    expect(JSON.stringify(auditOf(app))).not.toContain('grace@');
  });

  test('is told to the owner: a new superuser hears that the application did it', async () => {
    const { users } = app.gatehouse;
    const { id, email } = await users.create({ email: 'alan@example.org', isVerified: true });
    await users.update(id, { isSuperuser: true });
    const { text } = await app.nextMail(email);
    expect(text).toContain('By: the application itself');
    expect(text).toMatch(/administrator/);
  });

  test('is bound by the cap on emails of an address: then there is no account either', async () => {
    const { users } = app.gatehouse;
    const email = 'often@example.org';
    for (let i = 0; i < 2; i++) {
      const { id } = await users.create({ email, invite: true });
      expect((await app.nextMail(email)).text).toMatch(/token=/);
      await users.remove(id);
      expect((await app.nextMail(email)).subject).toMatch(/was deleted$/);
    }
    const refused = await refusal(users.create({ email, invite: true }));
    expect(refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3600 });
    expect(refused.message).toContain('No account was created');
    expect(await users.findByEmail(email)).toBeNull();
    const { id } = await users.create({ email });
    expect(await codeOf(users.invite(id))).toBe('rate_limited');
    app.clock.advance(3_600_000);
    await users.invite(id);
    expect((await app.nextMail(email)).text).toMatch(/token=/);
  });

  test('meets no rate limit of a route, and needs nothing that counts', async () => {
    const limiter = {
      consume: async () => ({ allowed: false, limit: 1, remaining: 0, resetSeconds: 60 }),
    };
    const limited = await startApp({
      limiter,
      settings: { registerRateLimit: '1/hour', loginRateLimit: '1/hour' },
    });
    const { id } = await limited.gatehouse.users.create({ email: 'ada@example.org', isVerified: true });
    expect(await limited.gatehouse.sessions.issue(id, { method: 'kiosk' })).toMatchObject({
      tokenType: 'bearer',
    });
    await limited.close();
  });
});
