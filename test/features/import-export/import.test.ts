import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { ImportRequest } from '../../../src/features/import-export/import.ts';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, dataEncryptionKey, logIn, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver, describeEachKind } from '../../support/backends.ts';
import { doors } from '../../support/doors.ts';
import { firebase } from '../../support/foreign.ts';
import { newAddress, newSubject, upTo } from '../../support/people.ts';

const fixture = (name: string): { from: string; password: string; hash: string }[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/foreign', name), 'utf8'));
const foreign = [...fixture('npm.json'), ...fixture('python.json')];
/** Those that take no time: what the others cost is paid for each wrong password too. */
const cheap = foreign.filter(({ from, hash }) => !/cost 12|ln 16/.test(from) && !hash.includes('m=65536'));
const bcryptOf = (start: string) => foreign.find(({ password }) => password.startsWith(start))!;
const bcrypt = bcryptOf('correct');

const settings: ConfigInput = {
  dataEncryptionKey,
  userFields: {
    company: { type: 'string' },
    customer_key: { type: 'string', visibleTo: 'host', editableBy: 'host' },
  },
  roles: ['editor', 'billing'],
};

const operatorOf = (app: App) => (app.gatehouse as Assembled).features.importExport!.operator;
const usersOf = (app: App) => app.gatehouse.repositories.users;

async function* linesOf(lines: unknown[]) {
  for (const [i, line] of lines.entries()) {
    yield { number: i + 1, text: typeof line === 'string' ? line : JSON.stringify(line) };
  }
}

/** Imports lines, and answers the counts and the refused lines. */
async function importLines(app: App, lines: unknown[], more: Partial<ImportRequest> = {}) {
  const errors: { line: number; message: string }[] = [];
  const counts = await operatorOf(app).importUsers({
    lines: linesOf(lines),
    onRefused: (line, message) => void errors.push({ line, message }),
    ...more,
  });
  return { ...counts, errors };
}

async function exported(app: App, withHashes: boolean): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  for await (const page of await operatorOf(app).exportUsers({ withHashes })) lines.push(...page);
  return lines.map(line => JSON.parse(line));
}

describeEachKind('imported users', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
  });
  afterAll(() => app?.close());

  const hashOf = async (email: string) => (await usersOf(app).findByEmail(email))?.hashedPassword;
  const login = (email: string, password: string) => app.rest('POST', '/login', { email, password });

  test('sign in with the hashes of others, which become Argon2id once', async () => {
    const people = cheap.map(({ password, hash }) => ({ email: newAddress(), password, hash }));
    const lines = people.map(({ email, hash }) => ({ email, hashed_password: hash, is_verified: true }));
    expect(await importLines(app, lines)).toMatchObject({
      read: lines.length,
      created: lines.length,
      errors: [],
    });
    for (const { email, password, hash } of people) {
      expect(await hashOf(email)).toBe(hash);
      expect((await login(email, 'a wrong password')).status).toBe(401);
      expect(await hashOf(email)).toBe(hash);
      expect((await login(email, password)).status).toBe(200);
      const own = await hashOf(email);
      expect(own).toMatch(/^\$argon2id\$v=19\$m=64,/);
      expect((await login(email, password)).status).toBe(200);
      expect(await hashOf(email)).toBe(own);
    }
    expect(app.mails).toEqual([]);
  });

  test('sign in with a password of which bcrypt has seen 72 bytes, and from then on with the whole one', async () => {
    const { password, hash } = bcryptOf('xxx');
    const email = newAddress();
    await importLines(app, [{ email, hashed_password: hash, is_verified: true }]);
    expect((await login(email, password)).status).toBe(200);
    expect((await login(email, password.slice(0, 72))).status).toBe(401);
    expect((await login(email, password)).status).toBe(200);
  });

  test('are what their lines say', async () => {
    const [email, subject] = [newAddress(), newSubject()];
    const line = {
      email: email.toUpperCase(),
      full_name: 'Ada Lovelace',
      is_verified: true,
      is_active: false,
      created_at: '2019-08-07T06:05:04.321+02:00',
      phone_number: '+4915112345678',
      hashed_password: bcrypt.hash,
      password_set_at: '2020-01-02T03:04:05.000Z',
      identities: [{ provider: 'google', subject }],
      fields: { company: 'Acme', customer_key: 'k-7' },
      roles: ['editor'],
    };
    expect(await importLines(app, [line])).toMatchObject({ created: 1, errors: [] });
    const user = (await usersOf(app).findByEmail(email))!;
    expect(user).toMatchObject({
      ...{ email, fullName: 'Ada Lovelace', isVerified: true, isActive: false, isSuperuser: false },
      ...{ isMfaEnabled: false, phoneNumber: '+4915112345678', phoneConfirmedAt: null },
      ...{ hashedPassword: bcrypt.hash, passwordSetAt: new Date('2020-01-02T03:04:05.000Z') },
      ...{ createdAt: new Date('2019-08-07T04:05:04.321Z'), lastLogin: null },
      ...{ fields: { company: 'Acme', customer_key: 'k-7' }, roles: ['editor'] },
    });
    const identities = await app.gatehouse.repositories.oauth_identities.listByUser(user.id);
    expect(identities).toMatchObject([
      { provider: 'google', issuer: 'https://accounts.google.com', subjectId: subject },
    ]);

    const own = (lines: Record<string, unknown>[]) => lines.find(line => line.email === email);
    const without = {
      id: user.id,
      ...line,
      email,
      created_at: '2019-08-07T04:05:04.321Z',
      hashed_password: undefined,
    };
    expect(own(await exported(app, false))).toEqual(JSON.parse(JSON.stringify(without)));
    expect(own(await exported(app, true))).toEqual({ ...without, hashed_password: bcrypt.hash });
    expect(app.logs.filter(({ fields }) => 'act' in fields && fields.act === 'exportUsers')).toMatchObject([
      { fields: { by: 'cli', outcome: 'ok', changes: null } },
      { fields: { by: 'cli', outcome: 'ok', changes: ['with_hashes'] } },
    ]);
    expect(JSON.stringify(app.logs)).not.toContain(email);
  });

  test('keep the id of their line, with which no earlier token lives again', async () => {
    const [id, email, before] = [`legacy_${randomUUID()}`, newAddress(), app.clock.now()];
    const { password, hash } = cheap[0]!;
    const line = { id, email, hashed_password: hash, is_verified: true };
    expect(await importLines(app, [line])).toMatchObject({ created: 1, errors: [] });
    const user = (await usersOf(app).find(id))!;
    expect(user.email).toBe(email);
    expect(user.tokensInvalidatedAfter!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    const { body } = await login(email, password);
    expect((await app.rest('GET', '/me', undefined, { token: body.access_token })).body).toMatchObject({
      id,
    });
    expect((await exported(app, false)).find(each => each.id === id)).toMatchObject({ id, email });
    // An address that is there stays as it is, whatever id the line has.
    expect(await importLines(app, [line, { ...line, id: 'another' }])).toMatchObject({
      existing: 2,
      errors: [],
    });
    expect(await usersOf(app).find('another')).toBeNull();
  });

  test('with an id that another address has are refused, and their identities sign in to no account', async () => {
    const [id, first] = [randomUUID(), newAddress()];
    await importLines(app, [{ id, email: first }]);
    const subjects = [newSubject(), newSubject()];
    const identities = subjects.map(subject => [{ provider: 'google', subject }]);
    const other = randomUUID();
    const lines = [
      { id, email: newAddress() },
      { id, email: newAddress(), identities: identities[0] },
      { id: other, email: newAddress() },
      { id: other, email: newAddress(), identities: identities[1] },
    ];
    const refused = [
      { line: 1, message: 'id: it belongs to another account' },
      { line: 2, message: 'id: it belongs to another account' },
    ];
    expect(await importLines(app, lines, { isDryRun: true })).toMatchObject({
      ...{ created: 1, refused: 3 },
      errors: [...refused, { line: 4, message: 'id: an earlier line has it too' }],
    });
    expect(await importLines(app, lines)).toMatchObject({
      ...{ created: 1, refused: 3 },
      errors: [...refused, { line: 4, message: 'id: it belongs to another account' }],
    });
    expect((await usersOf(app).find(id))!.email).toBe(first);
    for (const owner of [id, other])
      expect(await app.gatehouse.repositories.oauth_identities.listByUser(owner)).toEqual([]);
  });

  test.each(['', 'a b', 'ä', '../x', 'x'.repeat(65)])('with the id %j are refused', async id => {
    expect(await importLines(app, [{ id, email: newAddress() }])).toMatchObject({
      ...{ created: 0, refused: 1 },
      errors: [{ line: 1, message: expect.stringMatching(/^id must be 1 to 64/) }],
    });
  });

  test('with an id and identities are completed by a second import', async () => {
    const [id, email, subject] = [randomUUID(), newAddress(), newSubject()];
    const line = { id, email, is_verified: true, identities: [{ provider: 'google', subject }] };
    expect(await importLines(app, [line])).toMatchObject({ created: 1, errors: [] });
    // As a kill leaves it: the identity is there, and its account is not.
    await usersOf(app).remove(id);
    expect(await importLines(app, [line])).toMatchObject({ created: 1, errors: [] });
    expect(await app.gatehouse.repositories.oauth_identities.listByUser(id)).toMatchObject([
      { subjectId: subject },
    ]);
  });

  test('have nothing of a removed person with their id, whose deletion was stopped half-way', async () => {
    const { repositories } = (app.gatehouse as Assembled).dependencies;
    const { id } = await signUp(app);
    const at = app.clock.now();
    const session = { id: randomUUID(), userId: id, createdAt: at, lastSeenAt: at, expiresAt: at };
    await repositories.sessions.add({ ...session, ip: null, userAgent: null, device: null, method: 'mfa' });
    await repositories.recovery_codes.replace({ userId: id, hashes: '[]', version: 'one', createdAt: at });
    const subject = newSubject();
    const issuer = { name: 'google', issuer: 'https://accounts.google.com' };
    const row = {
      id: randomUUID(),
      userId: id,
      provider: 'google',
      issuer: issuer.issuer,
      subjectId: subject,
    };
    await repositories.oauth_identities.add({ ...row, email: null, linkedAt: at, lastUsedAt: null });
    await usersOf(app).remove(id);
    const left = (await repositories.rows.listOwned([id])).map(({ name }) => name);
    expect(left).toEqual(expect.arrayContaining(['sessions', 'recovery_codes', 'oauth_identities']));

    const own = [{ provider: 'google', subject: newSubject() }];
    const lines = [{ id, email: newAddress(), is_verified: true, identities: own }];
    expect(await importLines(app, lines)).toMatchObject({ created: 1, errors: [] });
    expect((await repositories.rows.listOwned([id])).map(({ name }) => name)).toEqual(['oauth_identities']);
    expect(await repositories.oauth_identities.findBySubject(issuer, subject)).toBeNull();
    // The data of an existing account stay.
    await importLines(app, lines);
    expect(await repositories.rows.listOwned([id])).toHaveLength(1);
  });

  test('stay as they are when they are imported again, and are not stored twice', async () => {
    const lines = upTo(40).map(() => ({
      email: newAddress(),
      hashed_password: bcrypt.hash,
      identities: [{ provider: 'google', subject: newSubject() }],
    }));
    const twice = [...lines, { ...lines[0], full_name: 'Somebody else' }];
    expect(await importLines(app, twice, { isDryRun: true })).toMatchObject({ created: 40, existing: 1 });
    expect(await usersOf(app).findByEmail(lines[0]!.email)).toBeNull();
    expect(await importLines(app, twice)).toMatchObject({ read: 41, created: 40, existing: 1, refused: 0 });
    const before = await usersOf(app).findByEmail(lines[0]!.email);
    expect(before?.fullName).toBeNull();
    expect(await importLines(app, twice)).toMatchObject({ read: 41, created: 0, existing: 41, refused: 0 });
    expect(await usersOf(app).findByEmail(lines[0]!.email)).toEqual(before);
  });

  test('are complete when two imports of one file run at the same time', async () => {
    const lines = upTo(60).map(() => ({
      email: newAddress(),
      identities: [{ provider: 'google', subject: newSubject() }],
    }));
    const both = await Promise.all([importLines(app, lines), importLines(app, lines)]);
    for (const { refused } of both) expect(refused).toBe(0);
    expect(both[0].created + both[1].created).toBe(60);
    for (const { email, identities } of lines) await expectLinked(app, email, identities[0]!.subject);
  });

  test('replace a pending registration of their address, whose password is never in force', async () => {
    const email = newAddress();
    await app.rest('POST', '/register', { email, password: 'planted by a stranger' });
    const mail = await app.nextMail(email);
    await importLines(app, [{ email, hashed_password: bcrypt.hash, is_verified: true }]);
    const token = /token=([\w.-]+)/.exec(mail.text)![1];
    expect((await app.rest('POST', '/verify', { token })).body.code).toBe('invalid_token');
    expect((await login(email, 'planted by a stranger')).status).toBe(401);
    expect((await login(email, bcrypt.password)).status).toBe(200);
  });
});

async function expectLinked(app: App, email: string, subject: string): Promise<void> {
  const user = (await usersOf(app).findByEmail(email))!;
  const identities = await app.gatehouse.repositories.oauth_identities.listByUser(user.id);
  expect(identities.map(({ subjectId }) => subjectId)).toEqual([subject]);
}

describeEachDriver('an import that was stopped between two writes', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  // Each write of a line fails once, in the process that was to do it: as if it had been killed there.
  test.each(['users.addMany', 'pending.removeAll', 'oauth_identities.addMany'] as const)(
    'at %s is completed by the next one',
    async call => {
      const line = { email: newAddress(), identities: [{ provider: 'google', subject: newSubject() }] };
      const { repositories } = (app.gatehouse as Assembled).dependencies;
      const [table, name] = call.split('.') as ['users', 'addMany'];
      const original = repositories[table][name];
      repositories[table][name] = () => Promise.reject(new Error('killed'));
      const stopped = await importLines(app, [line]);
      repositories[table][name] = original;
      expect(stopped.failure).toEqual(new Error('killed'));

      const { created, existing, errors } = await importLines(app, [line]);
      expect([created + existing, errors]).toEqual([1, []]);
      await expectLinked(app, line.email, line.identities[0]!.subject);
      expect(await importLines(app, [line])).toMatchObject({ existing: 1, refused: 0 });
    },
  );

  test('leaves nothing that another account could not have', async () => {
    const identities = [{ provider: 'google', subject: newSubject() }];
    const { repositories } = (app.gatehouse as Assembled).dependencies;
    const { addMany } = repositories.users;
    repositories.users.addMany = () => Promise.reject(new Error('killed'));
    await importLines(app, [{ email: newAddress(), identities }]);
    repositories.users.addMany = addMany;
    const other = { email: newAddress(), identities };
    expect((await importLines(app, [other])).errors).toEqual([
      { line: 1, message: expect.stringContaining('import the line again') },
    ]);
    app.clock.advance(61_000);
    expect(await importLines(app, [other])).toMatchObject({ created: 1, errors: [] });
    await expectLinked(app, other.email, identities[0]!.subject);
  });
});

describe('a line is refused', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: { ...settings, dataEncryptionKey: undefined } });
  });
  afterAll(() => app?.close());

  const email = () => newAddress();
  const google = (subject: string) => ({ provider: 'google', subject });

  test.each<[string, unknown, RegExp]>([
    ['that is not JSON', '{"email":', /^is not JSON$/],
    ['that is a text', '"ada@example.org"', /^is not a JSON object$/],
    ['without an address', {}, /^email is required$/],
    ['with no address', { email: 'nobody' }, /^email must be an email address/],
    ['with an unknown field', { email: email(), password: 'x' }, /^password is not a field/],
    [
      'with a plain password as a hash',
      { email: email(), hashed_password: 'secret' },
      /^hashed_password is not a hash/,
    ],
    [
      'with an unaffordable hash',
      { email: email(), hashed_password: bcrypt.hash.replace('$05$', '$16$') },
      /cost 16/,
    ],
    [
      'with an unknown provider',
      { email: email(), identities: [{ provider: 'myspace', subject: '1' }] },
      /provider/,
    ],
    ['with one provider twice', { email: email(), identities: [google('a'), google('b')] }, /twice/],
    [
      'with an unknown own field',
      { email: email(), fields: { shoe_size: 43 } },
      /^fields.shoe_size is not a field/,
    ],
    [
      'with an own field of the wrong type',
      { email: email(), fields: { company: 5 } },
      /^fields.company must be a string/,
    ],
    ['with an unknown role', { email: email(), roles: ['king'] }, /^roles.0 is not a role/],
    [
      'with a time in the future',
      { email: email(), created_at: '2050-01-01T00:00:00Z' },
      /^created_at is in the future/,
    ],
    ['with no time', { email: email(), created_at: 'yesterday' }, /^created_at must be a time/],
    ['with no phone number', { email: email(), phone_number: '0151' }, /^phone_number must be/],
    [
      'with a made-up address of nobody',
      { email: 'google-1@oauth.invalid' },
      /^email can be at oauth.invalid only/,
    ],
    [
      'of Better Auth without its form',
      { email: email(), hashed_password: 'a:b', scheme: 'better-auth' },
      /salt:hash/,
    ],
    [
      'of Firebase without parameters',
      { email: email(), hashed_password: 'AA==', salt: '', scheme: 'firebase' },
      /--firebase-parameters/,
    ],
    [
      'of Firebase without salt',
      { email: email(), hashed_password: 'AA==', scheme: 'firebase' },
      /^salt belongs to/,
    ],
    [
      'with a scheme and no hash',
      { email: email(), scheme: 'better-auth' },
      /^scheme belongs to a hashed_password/,
    ],
  ])('%s, and the others are stored', async (_, line, message) => {
    const good = { email: email() };
    const ended = await importLines(app, [line, good]);
    expect(ended).toMatchObject({ read: 2, created: 1, refused: 1 });
    expect(ended.errors).toEqual([{ line: 1, message: expect.stringMatching(message) }]);
    expect(await usersOf(app).findByEmail(good.email)).not.toBeNull();
    expect(JSON.stringify(ended.errors)).not.toContain('secret');
  });

  test('whose identity belongs to somebody else', async () => {
    const [taken, free] = [newSubject(), newSubject()];
    const [first, second] = [email(), email()];
    await importLines(app, [{ email: first, identities: [google(taken)] }]);
    for (const isDryRun of [true, false]) {
      const { errors } = await importLines(app, [{ email: second, identities: [google(taken)] }], {
        isDryRun,
      });
      expect(errors).toEqual([{ line: 1, message: 'identities: one belongs to another account' }]);
    }
    expect(await usersOf(app).findByEmail(second)).toBeNull();
    await expectLinked(app, first, taken);
    await importLines(app, [{ email: second, identities: [google(free)] }]);
    await expectLinked(app, second, free);
  });

  test('which is the second one with an identity', async () => {
    const subject = newSubject();
    const lines = [email(), email()].map(email => ({ email, identities: [google(subject)] }));
    for (const isDryRun of [true, false]) {
      const { created, errors } = await importLines(app, lines, { isDryRun });
      expect([created, errors.map(({ line }) => line)]).toEqual([1, [2]]);
    }
    await expectLinked(app, lines[0]!.email, subject);
  });

  test('and an import from Firebase without data_encryption_key does not begin', async () => {
    const begun = importLines(app, [{ email: email() }], { firebaseParameters: firebase.parameters });
    await expect(begun).rejects.toThrow(/data_encryption_key is required/);
  });
});

describe.each(doors)('an imported account through $name', door => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: { ...settings, dataEncryptionKey } });
  });
  afterAll(() => app?.close());

  /** Somebody who signs in by another way, so that the hash is still as it was imported. */
  async function moveIn(hash = bcrypt.hash) {
    const member = await signUp(app);
    await usersOf(app).change(member.id, { set: { hashedPassword: hash } });
    return member;
  }

  test('changes the password with the imported one', async () => {
    const { email, token } = await moveIn();
    const call = door.at(app);
    const change = (current_password: string, new_password: string) =>
      call('changePassword', { current_password, new_password }, { token });
    expect(await change('a wrong password', 'another password')).toMatchObject({ code: 'wrong_password' });
    expect(await change(bcrypt.password, bcrypt.password)).toMatchObject({ code: 'password_unchanged' });
    expect(await change(bcrypt.password, 'another password')).toMatchObject({ ok: true });
    await logIn(app, { email, password: 'another password' });
  });

  test('reauthenticates, changes the address and is deleted with the imported password', async () => {
    const { id, token } = await moveIn();
    const call = door.at(app);
    const again = await call('reauthenticate', { password: bcrypt.password }, { token });
    expect(again).toMatchObject({ ok: true });
    const next = { token: again.ok ? again.value.access_token : '' };
    const current_password = bcrypt.password;
    expect(await call('changeEmail', { current_password, new_email: newAddress() }, next)).toMatchObject({
      ok: true,
    });
    expect(await call('deleteAccount', { current_password: 'a wrong password' }, next)).toMatchObject({
      code: 'wrong_password',
    });
    expect(await call('deleteAccount', { current_password }, next)).toMatchObject({ ok: true });
    expect(await usersOf(app).find(id)).toBeNull();
  });

  test('signs in with the password as it was typed where it was made, and later with any form of it', async () => {
    const { password, hash } = bcryptOf('cafe\u0301');
    const { email } = await moveIn(hash);
    const call = door.at(app);
    expect(await call('login', { email, password: password.normalize('NFC') })).toMatchObject({
      code: 'invalid_credentials',
    });
    expect(await call('login', { email, password })).toMatchObject({ ok: true });
    expect(await call('login', { email, password: password.normalize('NFC') })).toMatchObject({ ok: true });
  });
});

test('a password that is changed while its imported hash is replaced stays changed', async () => {
  const app = await startApp();
  const { email, id } = await signUp(app);
  await usersOf(app).change(id, { set: { hashedPassword: bcrypt.hash } });
  const { hasher } = (app.gatehouse as Assembled).dependencies.passwords;
  const changed = await hasher.rehash('the password of the reset');
  const hash = hasher.rehash.bind(hasher);
  hasher.rehash = async password => {
    await usersOf(app).change(id, { set: changed });
    return hash(password);
  };
  expect((await app.rest('POST', '/login', { email, password: bcrypt.password })).status).toBe(200);
  hasher.rehash = hash;
  expect(await usersOf(app).find(id)).toMatchObject(changed);
  await logIn(app, { email, password: 'the password of the reset' });
  await app.close();
});

test('hashes of Firebase sign in, and are exported as Firebase has them', async () => {
  const app = await startApp({ settings });
  const email = newAddress();
  const line = {
    email,
    is_verified: true,
    hashed_password: firebase.hash,
    salt: firebase.salt,
    scheme: 'firebase',
  };
  const imported = await importLines(app, [line], { firebaseParameters: firebase.parameters });
  expect(imported).toMatchObject({ created: 1, errors: [] });
  expect(await exported(app, true)).toMatchObject([
    { email, hashed_password: firebase.hash, salt: firebase.salt, scheme: 'firebase' },
  ]);
  expect((await app.rest('POST', '/login', { email, password: 'user2password' })).status).toBe(401);
  await logIn(app, { email, password: firebase.password });
  expect((await usersOf(app).findByEmail(email))?.hashedPassword).toMatch(/^\$argon2id\$/);
  await app.close();
});

describe('the import is told to sign-ins', () => {
  test('of other processes, before the first of its users is tried', async () => {
    const app = await startApp();
    await importLines(app, [{ email: newAddress(), hashed_password: bcrypt.hash }]);
    const { challenges } = (app.gatehouse as Assembled).dependencies.repositories;
    expect(await challenges.readImportedWork()).toEqual(new Map([['bcrypt', 32]]));
    const costly = foreign.filter(({ from }) => /cost 12|sha512|argon2-cffi I$/.test(from));
    await importLines(
      app,
      costly.map(({ hash }) => ({ email: newAddress(), hashed_password: hash })),
    );
    await importLines(app, [{ email: newAddress(), hashed_password: bcrypt.hash }]);
    expect(await challenges.readImportedWork()).toEqual(
      new Map([
        ['bcrypt', 4096],
        ['pbkdf2-sha512', 25_000],
        ['argon2-p4', 196_608],
      ]),
    );
    await app.gatehouse.purgeExpired();
    expect((await challenges.readImportedWork()).size).toBe(3);
    await app.close();
  });
});
