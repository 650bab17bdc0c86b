import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../../src/events.ts';
import type { AuditRecordView } from '../../../src/features/audit-store/views.ts';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, logIn, type Member, password, signUp, startApp, tokenOf } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { eventually } from '../../support/eventually.ts';
import { newAddress, signUpSuperuser } from '../../support/people.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describeEachDriver('audit records in the database', backend => {
  let app: App;
  let root: Member;
  const heard: AuditEvent[] = [];
  beforeAll(async () => {
    const settings = { auditStore: 'database', enableAdminRouter: true, enableMetrics: true } as const;
    app = await startApp({ backend, settings });
    app.gatehouse.on('audit', record => heard.push(record));
    root = await signUpSuperuser(app);
  });
  afterAll(() => app?.close());

  const asRoot = () => ({ token: root.token });
  const rows = () => app.gatehouse.repositories.audit;
  const logged = () => app.logs.filter(({ message }) => message === 'audit');
  const search = async (query: Record<string, string>): Promise<AuditRecordView[]> => {
    const path = `/admin/audit?${new URLSearchParams({ limit: '200', ...query })}`;
    const { status, body } = await app.rest('GET', path, undefined, asRoot());
    expect(status).toBe(200);
    return body.items;
  };
  const fields = 'id at operation by actor subject outcome code changes count ip requestId';
  const asked = `query ($first: Int, $after: String, $actor: String, $subject: String, $operation: String,
    $outcome: String, $since: String, $until: String) {
    auditRecords(first: $first, after: $after, actor: $actor, subject: $subject, operation: $operation,
      outcome: $outcome, since: $since, until: $until) {
      nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`;
  const ask = async (variables: object) => {
    const { body } = await app.graphql(asked, variables, asRoot());
    expect(body.errors).toBeUndefined();
    return body.data.auditRecords;
  };

  // Shows 63b/4.1#dates.
  test('say who did what to whom, from where, and how it ended; none of them is in the log', async () => {
    const { id, email } = await signUp(app, newAddress());
    app.clock.advance(1000);
    await app.rest('POST', '/login', { email, password });
    const [record, ...others] = await search({ subject: id, operation: 'login', since: nowOf(app) });
    expect(others).toEqual([]);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: nowOf(app),
      ...{ operation: 'login', by: 'self', actor: null, subject: id, outcome: 'ok', code: null },
      ...{ changes: null, count: 1, ip: '127.0.0.1', request_id: expect.stringMatching(/./) },
    });
    expect(heard.at(-2)).toMatchObject({ act: 'login', subject: id, at: app.clock.now() });
    expect(logged()).toEqual([]);
  });

  test('are found by address, which is looked up and not stored, without what was only looked at', async () => {
    const { id, email } = await signUp(app, newAddress());
    await app.rest('PATCH', `/admin/users/${id}`, { full_name: 'Ada' }, asRoot());
    await app.rest('GET', `/admin/users/${id}`, undefined, asRoot());
    const moved = newAddress();
    await app.gatehouse.users.changeEmail(id, { email: moved, isVerified: true });
    expect(await search({ subject: email })).toEqual([]);
    const acts = await search({ subject: moved.toUpperCase(), actor: root.email });
    expect(acts).toEqual(await search({ subject: id, actor: root.id }));
    expect(acts.map(({ operation }) => operation)).toEqual(['user', 'adminUpdateUser']);
    expect(JSON.stringify(acts)).not.toContain('@');
    const narrow = { actor: root.email, subject: id, is_look: 'false', with_addresses: 'true' };
    const people = { actor_email: root.email, subject_email: moved };
    expect(await search(narrow)).toEqual([{ ...acts[1], ...people }]);
    await app.rest('DELETE', `/admin/users/${id}`, undefined, asRoot());
    const [gone] = await search({ subject: id, with_addresses: 'true' });
    expect(gone).not.toHaveProperty('subject_email');
  });

  test('are found by every filter alike through both doors', async () => {
    const { id, token } = await signUp(app, newAddress());
    app.clock.advance(60_000);
    const since = nowOf(app);
    await app.rest('PATCH', `/admin/users/${id}`, { is_active: true, full_name: 'Ada' }, asRoot());
    await app.rest('PATCH', '/me', { full_name: 'Ada Lovelace' }, { token });
    app.clock.advance(1000);
    const until = nowOf(app);
    await app.rest('GET', '/admin/stats', undefined, { token });
    await app.rest('GET', '/admin/users', undefined, { token });
    const operations = async (filter: Record<string, string>) => {
      const [rest, { nodes }] = [await search(filter), await ask({ first: 200, ...filter })];
      expect(nodes.map(({ requestId, ...node }: Record<string, unknown>) => node)).toEqual(
        // The look itself is newer.
        expect.arrayContaining(rest.map(({ request_id, ...item }) => item)),
      );
      return rest.map(({ operation, outcome }) => `${operation} ${outcome}`);
    };
    expect(await operations({ subject: id, since })).toEqual(['updateProfile ok', 'adminUpdateUser ok']);
    expect(await operations({ subject: id, actor: root.id, since })).toEqual(['adminUpdateUser ok']);
    expect(await operations({ actor: id, since })).toEqual(['users refused', 'updateProfile ok']);
    expect(await operations({ actor: id, since, until })).toEqual(['updateProfile ok']);
    expect(await operations({ actor: id, outcome: 'refused', operation: 'users' })).toEqual([
      'users refused',
    ]);
    expect(await operations({ actor: id, outcome: 'failed' })).toEqual([]);
    const [{ changes } = { changes: null }] = await search({ subject: id, operation: 'adminUpdateUser' });
    expect(changes).toEqual(['full_name']);
    const offset = since.replace('Z', '+00:00');
    expect(await search({ subject: id, since: offset })).toHaveLength(2);
    for (const wrong of ['since=yesterday', 'outcome=gone', 'after=5', 'limit=0', 'who=me', 'actor=%00'])
      expect((await app.rest('GET', `/admin/audit?${wrong}`, undefined, asRoot())).body).toMatchObject({
        code: 'invalid_input',
      });
  });

  test('are paged, and those that arrive meanwhile neither double nor hide another', async () => {
    const { id, token } = await signUp(app, newAddress());
    const save = () => app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
    for (let i = 0; i < 5; i++) await save();
    const expected = (await search({ subject: id, operation: 'updateProfile' })).map(record => record.id);
    expect(expected).toHaveLength(5);
    const read: string[] = [];
    for (let after = ''; ; ) {
      const path = `/admin/audit?subject=${id}&operation=updateProfile&limit=2${after && `&after=${after}`}`;
      const { items, has_more, next_cursor } = (await app.rest('GET', path, undefined, asRoot())).body;
      read.push(...items.map((item: AuditRecordView) => item.id));
      expect(has_more).toBe(next_cursor !== null);
      if (next_cursor === null) break;
      after = next_cursor;
      await save();
    }
    expect(read).toEqual(expected);
    const first = await ask({ subject: id, operation: 'updateProfile', first: 4 });
    await save();
    const { endCursor, hasNextPage } = first.pageInfo;
    const next = await ask({ subject: id, operation: 'updateProfile', first: 4, after: endCursor });
    expect([hasNextPage, next.pageInfo.hasNextPage]).toEqual([true, false]);
    const both = [...first.nodes, ...next.nodes].map(node => node.id);
    expect(new Set(both).size).toBe(both.length);
    expect(both.slice(-5)).toEqual(expected);
  });

  test('are made by looks of administrators, at the records too', async () => {
    app.clock.advance(1000);
    const since = nowOf(app);
    await app.rest('GET', '/admin/users', undefined, asRoot());
    await app.graphql('{ user(id: "gone") { id } adminStats { totalUsers } }', undefined, asRoot());
    await search({ limit: '1' });
    const looks = await search({ actor: root.id, since });
    expect(looks.map(({ operation }) => operation)).toEqual(['auditRecords', 'user', 'users']);
  });

  test('that refuse callers without a session are one a minute, by what they have in common', async () => {
    app.clock.advance(60_000 - (app.clock.now().getTime() % 60_000));
    const since = nowOf(app);
    const { id, email } = await signUp(app, newAddress());
    const wrong = (address: string) =>
      app.rest('POST', '/login', { email: address, password: 'a wrong one' });
    await Promise.all(Array.from({ length: 3 }, () => wrong(email)));
    await Promise.all(Array.from({ length: 12 }, () => wrong(newAddress())));
    await app.rest('POST', '/change-password', {}, { token: 'made.up.token' });
    await app.rest('POST', '/change-password', {});
    const refused = async () =>
      (await search({ outcome: 'refused', since })).map(({ operation, code, subject, count }) =>
        [operation, code, subject, count].join(' '),
      );
    const folded = [
      'changePassword unauthenticated  2',
      'login invalid_credentials  12',
      `login invalid_credentials ${id} 3`,
    ];
    expect((await refused()).toSorted()).toEqual(folded);
    app.clock.advance(60_000);
    await wrong(newAddress());
    expect((await refused()).toSorted()).toEqual([...folded, 'login invalid_credentials  1'].toSorted());
    // A caller with a session is known: each of its refusals is a record.
    const { token } = await signUp(app, newAddress());
    for (let i = 0; i < 3; i++) await app.rest('GET', '/admin/users', undefined, { token });
    expect((await refused()).filter(text => text.startsWith('users forbidden'))).toHaveLength(3);
  });

  test('are made by commands, refused ones too', async () => {
    const { email, id } = await signUp(app, newAddress());
    const { operator, features } = app.gatehouse as Assembled;
    app.clock.advance(1000);
    const since = nowOf(app);
    await operator.unlock({ email });
    await operator.createAdmin({ email });
    await operator.createAdmin({ email: 'no address' }).catch(() => {});
    for await (const page of await features.auditStore!.operator.search({ subject: id, since }))
      expect(page).toHaveLength(2);
    const found = (await search({ since })).filter(({ by }) => by === 'cli');
    expect(found).toMatchObject([
      { operation: 'auditRecords', outcome: 'ok' },
      { operation: 'createAdmin', outcome: 'refused', code: 'invalid_input', subject: null },
      { operation: 'createAdmin', outcome: 'ok', subject: id, changes: ['is_superuser:true'] },
      { operation: 'adminUnlock', outcome: 'ok', subject: id },
    ]);
  });

  test('hold no address, name, password or token', async () => {
    const email = 'planted.address@example.org';
    await app.rest('POST', '/register', { email, password: 'planted horse', full_name: 'Planted Name' });
    const token = tokenOf(await app.nextMail(email));
    await app.rest('POST', '/verify', { token });
    const session = await logIn(app, { email, password: 'planted horse' });
    await app.rest('POST', '/login', { email: 'planted.nobody@example.org', password: 'planted wrong' });
    await app.rest('PATCH', '/me', { full_name: 'Planted Again' }, { token: session });
    await app.rest('POST', '/forgot-password', { email });
    await app.rest('GET', '/admin/users?search=planted', undefined, asRoot());
    await app.rest('DELETE', '/admin/users/planted@example.org', undefined, asRoot());
    await search({ actor: 'planted@example.org' });
    const text = JSON.stringify(await rows().list({}, { limit: 1000 }));
    for (const secret of [token, session, session.split('.')[1]!]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/planted/i);
  });

  describe('that cannot be stored', () => {
    test('are in the log, with a counter, and the answer stands', async () => {
      const { email, token } = await signUp(app, newAddress());
      const { add } = rows();
      const before = logged().length;
      rows().add = () => Promise.reject(new Error('the disk is full'));
      try {
        expect((await app.rest('POST', '/login', { email, password })).status).toBe(200);
        const refused = await Promise.all(
          Array.from({ length: 4 }, () => app.rest('POST', '/verify', { token: 'x' })),
        );
        expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
        expect((await app.gatehouse.status()).degraded).toEqual(['audit']);
        // A database that hangs holds an answer up for a moment only.
        const { promise: isHanging, resolve: hangs } = Promise.withResolvers<void>();
        rows().add = () => {
          hangs();
          return new Promise(() => {});
        };
        const saved = app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
        await isHanging;
        await eventually(async () => {
          app.clock.advance(800);
          expect(await Promise.race([saved, null])).toMatchObject({ status: 200 });
        });
      } finally {
        rows().add = add;
      }
      const missed = logged().slice(before);
      expect(missed.map(({ fields }) => (fields as Pick<AuditEvent, 'act'>).act)).toEqual([
        ...['login', 'verify', 'verify', 'verify', 'verify', 'updateProfile'],
      ]);
      const warnings = app.logs.filter(({ message }) => message.startsWith('audit records cannot be stored'));
      expect(warnings).toHaveLength(1);
      const metrics = await app.gatehouse.metrics!.text();
      expect(metrics).toMatch(/gatehouse_audit_unstored_total\{reason="failed"\} 5\n/);
      expect(metrics).toMatch(/gatehouse_audit_unstored_total\{reason="late"\} 1\n/);
      await app.rest('POST', '/login', { email, password });
      expect(logged()).toHaveLength(before + missed.length);
      expect((await app.gatehouse.status()).status).toBe('ready');
    });
  });

  // Shows 63b/4.1#dates.
  test('are purged after audit_retention_days, and no sooner', async () => {
    const day = 86_400_000;
    const old = async (days: number) => {
      const at = new Date(Date.now() - days * day);
      const id = uuidv7({ msecs: at.getTime() });
      const said = { operation: 'login', by: 'self', outcome: 'ok', count: 1 } as const;
      const nothing = { actor: null, code: null, changes: null, ip: null, requestId: null, fold: null };
      await rows().add({ id, at, subject: 'old', device: null, ...said, ...nothing });
      return id;
    };
    const [kept] = [await old(364), await old(366), await old(4000)];
    expect(await app.gatehouse.purgeExpired()).toMatchObject({ audit: 2 });
    expect((await search({ subject: 'old' })).map(({ id }) => id)).toEqual([kept]);
  });

  test('of a sign-in that a lock refuses name the account', async () => {
    const { id, email } = await signUp(app, newAddress());
    for (let i = 0; i < 7; i++) await app.rest('POST', '/login', { email, password: 'a wrong one' });
    const { items } = (
      await app.rest('GET', `/admin/audit?subject=${id}&operation=login`, undefined, asRoot())
    ).body;
    expect(items.slice(0, 2)).toMatchObject([
      { code: 'account_locked', subject: id, count: 2 },
      { code: 'invalid_credentials', subject: id, count: 5 },
    ]);
  });

  test('show people their own acts alone, through both doors', async () => {
    const { id, email, token } = await signUp(app, newAddress());
    app.clock.advance(1000);
    await app.rest('POST', '/login', { email, password }, { headers: { 'User-Agent': firefox } });
    await app.rest('POST', '/login', { email, password: 'a wrong one' });
    app.clock.advance(1000);
    await app.rest('PATCH', `/admin/users/${id}`, { full_name: 'Ada' }, asRoot());
    await app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
    const { items, has_more, next_cursor } = (
      await app.rest('GET', '/activity?limit=3', undefined, { token })
    ).body;
    expect([has_more, next_cursor]).toEqual([true, Buffer.from(items[2].id).toString('base64url')]);
    expect(items[0]).toEqual({
      id: expect.any(String),
      at: nowOf(app),
      ...{ operation: 'updateProfile', outcome: 'ok', code: null, ip: '127.0.0.1', device: null },
    });
    expect(items.slice(1)).toMatchObject([
      { operation: 'login', outcome: 'refused', code: 'invalid_credentials' },
      { operation: 'login', outcome: 'ok', device: 'Firefox on Linux' },
    ]);
    const query = `query ($after: String) { activity(first: 3, after: $after) {
      nodes { id operation outcome device } pageInfo { hasNextPage endCursor } } }`;
    const first = (await app.graphql(query, {}, { token })).body.data.activity;
    expect(first.nodes.map((node: { id: string }) => node.id)).toEqual(
      items.map((item: { id: string }) => item.id),
    );
    const { endCursor } = first.pageInfo;
    expect(endCursor).toBe(next_cursor);
    const next = (await app.graphql(query, { after: endCursor }, { token })).body.data.activity;
    const rest = await app.rest('GET', `/activity?limit=3&after=${next_cursor}`, undefined, { token });
    expect(next.nodes.map((node: { id: string }) => node.id)).toEqual(
      rest.body.items.map((item: { id: string }) => item.id),
    );
    // A cursor of the former version was an id as it is.
    const former = await app.rest('GET', `/activity?limit=3&after=${items[2].id}`, undefined, { token });
    expect(former.body.items).toEqual(rest.body.items);
    expect((await app.rest('GET', '/activity')).status).toBe(401);
  });
});

describe('while audit records are in the log', () => {
  test('nothing is stored, and the operations are not there', async () => {
    const app = await startApp({ settings: { enableAdminRouter: true } });
    const { token } = await signUpSuperuser(app);
    for (const path of ['/admin/audit', '/activity'])
      expect((await app.rest('GET', path, undefined, { token })).status).toBe(404);
    const { body } = await app.graphql('{ activity { nodes { id } } }', undefined, { token });
    expect(body.errors[0].extensions.code).toBe('invalid_document');
    expect(await app.gatehouse.repositories.audit.list({}, { limit: 1 })).toEqual([]);
    expect(app.logs.some(({ message }) => message === 'audit')).toBe(true);
    expect((app.gatehouse as Assembled).features.auditStore).toBeUndefined();
    await app.close();
  });
});

const nowOf = (app: App) => app.clock.now().toISOString();
