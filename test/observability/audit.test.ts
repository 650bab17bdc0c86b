import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDoc } from '../../scripts/write-docs.ts';
import type { AuditEvent } from '../../src/events.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { snakeCase } from '../../src/names.ts';
import type { AuditRecord } from '../../src/observability/audit.ts';
import { type App, logIn, password, signUp, startApp, tokenOf } from '../support/app.ts';
import { asInNode } from '../support/in-node.ts';
import { codeIn } from '../support/people.ts';

let app: App;
const heard: AuditEvent[] = [];

beforeAll(async () => {
  const oauth = {
    googleClientId: 'client',
    googleClientSecret: 'secret',
    googleIssuer: 'http://127.0.0.1:1',
  };
  app = await startApp({
    settings: { enableAdminRouter: true, enableSms2fa: true, enableOauth: true, oauth },
  });
  app.gatehouse.on('audit', record => heard.push(record));
});
afterAll(() => app.close());

/** The records that the log got while something happened. */
async function auditOf(work: () => Promise<unknown>): Promise<Omit<AuditRecord, 'at'>[]> {
  const from = app.logs.length;
  await work();
  return app.logs
    .slice(from)
    .flatMap(({ message, fields }) => (message === 'audit' ? [fields as never] : []));
}

describe('the audit trail', () => {
  test('says who did what to whom, from where, and how it ended', async () => {
    const { id, email } = await signUp(app);
    const own = { by: 'self', actor: null, ip: '127.0.0.1', request_id: expect.stringMatching(/./) };
    expect(await auditOf(() => app.rest('POST', '/login', { email, password }))).toEqual([
      {
        ...own,
        ...{ act: 'login', outcome: 'ok', reason: null, changes: null },
        ...{ subject: id, address_hash: expect.any(String) },
      },
    ]);
    const [wrong] = await auditOf(() => app.rest('POST', '/login', { email, password: 'a wrong one' }));
    expect(wrong).toMatchObject({
      act: 'login',
      outcome: 'refused',
      reason: 'invalid_credentials',
      subject: id,
    });
  });

  test('finds an address without an account again by a keyed hash, and does not know it', async () => {
    const stranger = (email: string) => auditOf(() => app.rest('POST', '/login', { email, password }));
    const [[first], [again], [other]] = [
      await stranger('nobody@example.org'),
      await stranger(' Nobody@Example.org'),
      await stranger('nobody-else@example.org'),
    ];
    expect(first).toMatchObject({ subject: null, address_hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(again!.address_hash).toBe(first!.address_hash);
    expect(other!.address_hash).not.toBe(first!.address_hash);
  });

  test('is told to the host as an event with the time of its clock', async () => {
    const { token, id } = await signUp(app);
    heard.length = 0;
    const [logged] = await auditOf(() => app.rest('POST', '/logout', {}, { token }));
    expect(heard).toEqual([{ ...asInNode(logged), at: app.clock.now() }]);
    expect(logged).toMatchObject({ act: 'logout', actor: id, subject: id });
  });

  test('names the operation that each field of a GraphQL document was, under one request id', async () => {
    const query = `mutation { a: forgotPassword(input: {email: "a@example.org"}) { message }
      b: verify(input: {token: "x"}) { id } }`;
    const records = await auditOf(() => app.graphql(query));
    expect(records).toMatchObject([
      { act: 'forgotPassword', outcome: 'ok' },
      { act: 'verify', outcome: 'refused', reason: 'invalid_token' },
    ]);
    expect(records[0]!.request_id).toBe(records[1]!.request_id);
  });

  test('holds what is refused before it begins, and nothing that only reads one’s own', async () => {
    const { token } = await signUp(app);
    const records = await auditOf(async () => {
      await app.rest('GET', '/me', undefined, { token });
      await app.graphql('{ features { appName } }');
      await app.rest('POST', '/change-password', {}, { token: 'made.up.token' });
      await app.rest('POST', '/register', { email: 'no address' });
    });
    expect(records).toMatchObject([
      { act: 'changePassword', outcome: 'refused', reason: 'unauthenticated', actor: null },
      { act: 'register', outcome: 'refused', reason: 'invalid_input', address_hash: null },
    ]);
  });

  test('says what is still due after a right password, and how the second step ended', async () => {
    const { id, email } = await signUp(app);
    const set = { phoneNumber: '+447700900456', isMfaEnabled: true };
    await app.gatehouse.repositories.users.change(id, { set });
    const records = await auditOf(async () => {
      const { mfa_pending_token } = (await app.rest('POST', '/login', { email, password })).body;
      const sent = Number(codeIn(await app.nextText(set.phoneNumber)));
      const code = String((sent + 1) % 1e6).padStart(6, '0');
      await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    });
    expect(records).toMatchObject([
      { act: 'login', outcome: 'ok', reason: 'mfa_required', subject: id },
      { act: 'confirmLoginMfa', outcome: 'refused', reason: 'mfa_code_wrong', subject: id },
    ]);
  });

  test('holds an external sign-in that ended at a page of errors as refused', async () => {
    const records = await auditOf(() => app.rest('GET', '/oauth/google/callback?state=planted&code=planted'));
    expect(records).toMatchObject([{ act: 'oauthCallback', outcome: 'refused', reason: 'bad_state' }]);
  });

  test('tells acts of administration and of the command line from those of users', async () => {
    const [admin, user] = [await signUp(app), await signUp(app)];
    const { operator } = app.gatehouse as Assembled;
    const promotion = await auditOf(() => operator.createAdmin({ email: admin.email }));
    expect(promotion).toMatchObject([
      { act: 'createAdmin', by: 'cli', outcome: 'ok', actor: null, subject: admin.id, ip: null },
    ]);
    const refused = await auditOf(() => operator.unlock({ email: 'gone@example.org' }).catch(() => {}));
    // The command says so itself.
    expect(refused).toEqual([]);

    const token = await logIn(app, admin);
    const records = await auditOf(async () => {
      await app.rest('PATCH', `/admin/users/${user.id}`, { is_active: false }, { token });
      // An address in the place of an id is not an id, and stays out of the record.
      await app.rest('DELETE', '/admin/users/planted@example.org', undefined, { token });
    });
    const by = { by: 'admin', actor: admin.id };
    expect(records).toMatchObject([
      { ...by, act: 'adminUpdateUser', outcome: 'ok', subject: user.id },
      { ...by, act: 'adminDeleteUser', outcome: 'refused', reason: 'not_found', subject: null },
    ]);
  });

  test.each(['REST', 'GraphQL'])('tells changes of an account apart by what changed: %s', async door => {
    const [admin, user] = [await signUp(app), await signUp(app)];
    const { operator } = app.gatehouse as Assembled;
    await operator.createAdmin({ email: admin.email });
    const token = await logIn(app, admin);
    const update = (id: string, input: Record<string, unknown>) => {
      if (door === 'REST') return app.rest('PATCH', `/admin/users/${id}`, input, { token });
      const named = Object.entries(input).map(([name, value]) => [
        name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
        value,
      ]);
      const query = 'mutation ($input: AdminUpdateUserInput!) { adminUpdateUser(input: $input) { id } }';
      return app.graphql(query, { input: { id, ...Object.fromEntries(named) } }, { token });
    };
    const records = await auditOf(async () => {
      await update(user.id, { is_active: false });
      await update(user.id, { is_active: true });
      await update(user.id, { is_superuser: true, full_name: 'Planted Name' });
      await update(user.id, { is_superuser: false });
      await update(user.id, { is_superuser: false });
      await update('0190a1b2-0000-7000-8000-000000000000', { is_active: false });
    });
    expect(records.map(({ outcome, changes }) => [outcome, changes])).toEqual([
      ['ok', ['is_active:false']],
      ['ok', ['is_active:true']],
      ['ok', ['is_superuser:true', 'full_name']],
      ['ok', ['is_superuser:false']],
      // It was so before.
      ['ok', []],
      ['refused', null],
    ]);
    expect(JSON.stringify(records)).not.toMatch(/Planted/);
    // Refusals are told apart as well. The others are no superusers any more.
    const others = await app.gatehouse.repositories.users.list({
      skip: 0,
      limit: 200,
      kind: { isSuperuser: true },
    });
    for (const { id } of others) {
      if (id !== admin.id) await app.gatehouse.repositories.users.change(id, { set: { isSuperuser: false } });
    }
    const refused = await auditOf(async () => {
      await update(admin.id, { is_active: false });
      await update(admin.id, { is_superuser: false });
    });
    expect(refused.map(({ reason, changes }) => [reason, changes])).toEqual([
      ['last_superuser', ['is_active:false']],
      ['last_superuser', ['is_superuser:false']],
    ]);
  });

  test('tells acts of the command line apart by what changed, too', async () => {
    const { operator } = app.gatehouse as Assembled;
    const { id, email } = await signUp(app);
    const records = await auditOf(async () => {
      await operator.setActive({ email, isActive: false });
      await operator.setActive({ email, isActive: true });
      await operator.createAdmin({ email });
      await operator.createAdmin({ email });
      await operator.takeOver({ email });
      await operator.createAdmin({ email: 'chosen@example.org', password });
    });
    expect(records.map(({ act, changes }) => [act, changes])).toEqual([
      ['adminUpdateUser', ['is_active:false']],
      ['adminUpdateUser', ['is_active:true']],
      ['createAdmin', ['is_superuser:true']],
      ['createAdmin', []],
      [
        'createAdmin',
        ['password', 'sessions', 'oauth_identities', 'phone_number', 'authenticators', 'api_keys'],
      ],
      ['createAdmin', ['created', 'is_superuser:true']],
    ]);
    expect(records[0]).toMatchObject({ subject: id });
  });

  test('holds no address, password, name, token or code', async () => {
    // A reader of the log must neither get into an account by it nor learn whose it is.
    const planted = { email: 'planted@example.org', password: 'planted password', full_name: 'Planted' };
    const records = await auditOf(async () => {
      await app.rest('POST', '/register', planted);
      const token = tokenOf(await app.nextMail(planted.email));
      await app.rest('POST', '/verify', { token });
      const session = await logIn(app, planted);
      await app.rest('POST', '/login', { ...planted, password: 'planted and wrong' });
      await app.rest('PATCH', '/me', { full_name: 'Planted Too' }, { token: session });
      await app.rest('POST', '/forgot-password', { email: planted.email });
      const reset = tokenOf(await app.nextMail(planted.email));
      await app.rest('POST', '/reset-password', { token: reset, new_password: 'planted again' });
      expect(JSON.stringify(app.logs)).not.toMatch(new RegExp([token, session, reset].join('|')));
    });
    expect(records.map(({ act }) => act)).toEqual(
      expect.arrayContaining(['register', 'verify', 'login', 'updateProfile', 'resetPassword']),
    );
    expect(JSON.stringify(records)).not.toMatch(/planted/i);
  });

  test('has each of its fields in docs/audit.md', async () => {
    await app.rest('POST', '/verify', { token: 'x' });
    const text = readDoc('docs/audit.md');
    const fields = Object.keys(heard.at(-1)!).map(snakeCase);
    expect(fields.filter(field => !text.includes(`| \`${field}\``))).toEqual([]);
  });
});
