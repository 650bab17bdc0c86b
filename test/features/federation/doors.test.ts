import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { describeEachDriver } from '../../support/backends.ts';
import { interleave } from '../../support/interleave.ts';
import { strong } from '../../support/strong.ts';
import { entities, settings, superuser, userOf } from './subgraph.ts';

// GraphQL as a subgraph of Apollo Federation 2 (CONTRACT §16.6).

const unknown = '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081';

/** What an answer says is wrong: where, and the code. */
const wrongIn = ({ body }: { body: { errors?: { path?: unknown; extensions: { code: string } }[] } }) =>
  body.errors?.map(({ path, extensions: { code } }) => [path, code]);

describeEachDriver('the entities of a subgraph', backend => {
  let app: App;
  let member: Member;
  let other: Member;
  let admin: Member;
  let acts: Record<string, unknown>[];
  beforeAll(async () => {
    app = await startApp({
      backend,
      settings: { ...strong, ...settings, enableAdminRouter: true, auditStore: 'database' },
    });
    [member, other, admin] = [await signUp(app), await signUp(app), await superuser(app)];
    acts = [];
    app.gatehouse.on('audit', record => void acts.push({ ...record }));
  });
  afterAll(() => app?.close());

  test('are one’s own account, and null for every other one', async () => {
    acts.length = 0;
    const asked = [userOf(other.id), userOf(member.id), userOf(unknown), userOf(''), userOf('no\0body')];
    const { status, body } = await entities(app, asked, { token: member.token });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        _entities: [
          null,
          {
            ...{ __typename: 'User', id: member.id, email: member.email, fullName: null },
            ...{ isSuperuser: false, reportedAt: null, lockedUntil: null },
          },
          ...[null, null, null],
        ],
      },
    });
    expect(acts).toEqual([]);
  });

  test('are every account for superusers, as administration shows it, which is one audit record', async () => {
    acts.length = 0;
    for (let attempt = 0; attempt < 5; attempt++)
      await app.rest('POST', '/login', { email: other.email, password: 'wrong horse battery' });
    acts.length = 0;
    const asked = [admin.id, member.id, unknown, other.id, member.id].map(userOf);
    const { body } = await entities(app, asked, { token: admin.token });
    expect(body.errors).toBeUndefined();
    const ids = (body.data._entities as ({ id: string } | null)[]).map(each => each?.id);
    expect(ids).toEqual([admin.id, member.id, undefined, other.id, member.id]);
    expect(body.data._entities[1]).toMatchObject({ lockedUntil: null });
    expect(body.data._entities[3]).toMatchObject({ lockedUntil: expect.stringMatching(/Z$/) });
    expect(acts).toEqual([
      expect.objectContaining({
        ...{ act: 'resolveEntities', outcome: 'ok', by: 'admin', actor: admin.id, subject: null, count: 2 },
      }),
    ]);
    const { token } = admin;
    const path = `/admin/audit?operation=resolveEntities`;
    expect((await app.rest('GET', path, undefined, { token })).body.items).toEqual([
      expect.objectContaining({ by: 'admin', actor: admin.id, count: 2, outcome: 'ok', code: null }),
    ]);
  });

  test('a look of a superuser at one’s own account leaves no record, and one account is its subject', async () => {
    acts.length = 0;
    await entities(app, [userOf(admin.id), userOf(null)], { token: admin.token });
    expect(acts).toEqual([]);
    await entities(app, [userOf(member.id)], { token: admin.token });
    await entities(app, [userOf(unknown)], { token: admin.token });
    expect(acts).toMatchObject([
      { subject: member.id, count: 1 },
      { subject: null, count: 0 },
    ]);
  });

  test('an entry that is no reference to an account is null with an error at its place', async () => {
    const asked = [
      { __typename: 'Order', id: member.id },
      userOf(member.id),
      ...[userOf(7), userOf(null), { __typename: 'User' }, { id: member.id }, 'User', userOf([member.id])],
    ];
    const answer = await entities(app, asked, { token: member.token }, '{ ... on User { id } }');
    expect(answer.body.data._entities).toEqual(asked.map((_, i) => (i === 1 ? { id: member.id } : null)));
    expect(wrongIn(answer)).toEqual(
      asked.flatMap((_, i) => (i === 1 ? [] : [[['_entities', i], 'invalid_input']])),
    );
    const [first, second] = answer.body.errors;
    expect(first.extensions.errors).toMatchObject([{ path: 'representations.0', rule: 'entity' }]);
    expect(second.extensions.errors).toMatchObject([{ path: 'representations.2.id', rule: 'id' }]);
  });

  test('200 of them are one session check and one read, 0 and 201 are none', async () => {
    const members = await Promise.all(Array.from({ length: 5 }, () => signUp(app)));
    const list = (length: number) => Array.from({ length }, (_, i) => userOf(members[i % 5]!.id));
    const { token } = admin;
    const ask = async (length: number) => entities(app, list(length), { token }, '{ ... on User { id } }');
    const askAndCompare = async () => {
      const { body } = await ask(200);
      expect(body.data._entities).toEqual(list(200).map(({ id }) => ({ id })));
    };
    const calls = await interleave(app, askAndCompare, {});
    // The session, the accounts, and the record.
    expect(calls).toBe(3);
    for (const length of [0, 201]) {
      const refused = await ask(length);
      expect([wrongIn(refused), refused.body.data]).toEqual([[[undefined, 'invalid_document']], undefined]);
    }
  });
});

describe('who may ask for entities', () => {
  let app: App;
  let member: Member;
  beforeAll(async () => {
    app = await startApp({
      settings: {
        ...strong,
        ...{ ...settings, enableAdminRouter: false },
        enableTokens: true,
        resources: { orders: { identifier: 'https://api.example', scopes: { read: 'Read' } } },
      },
    });
    member = await signUp(app);
  });
  afterAll(() => app?.close());

  test('no caller without a session, neither with an access token nor with other credentials', async () => {
    const issued = await app.rest(
      'POST',
      '/tokens',
      { resource: 'https://api.example' },
      { token: member.token },
    );
    const key = 'svc_key_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0fCNGO';
    for (const token of [undefined, 'nonsense', issued.body.access_token as string, key]) {
      const options = token === undefined ? {} : { token };
      const answer = await entities(app, [userOf(member.id)], options, '{ ... on User { id } }');
      expect(answer.body.data).toBeNull();
      expect(wrongIn(answer)).toEqual([[['_entities'], 'unauthenticated']]);
    }
    const headers = { 'X-API-Key': key };
    const byKey = await entities(app, [userOf(member.id)], { headers }, '{ __typename }');
    expect(wrongIn(byKey)).toEqual([[['_entities'], 'unauthenticated']]);
  });

  test('a superuser sees no other account while administration is off, and leaves no record', async () => {
    const { token, id } = await superuser(app);
    const acts: string[] = [];
    const stop = app.gatehouse.on('audit', ({ act }) => void acts.push(act));
    const { body } = await entities(app, [member.id, id].map(userOf), { token }, '{ ... on User { id } }');
    expect(body).toEqual({ data: { _entities: [null, { id }] } });
    expect(acts).toEqual([]);
    stop();
  });

  test('the cost is that of the selection for each entry', async () => {
    const fields = ['id', 'email', 'fullName', 'createdAt', 'isVerified', 'isMfaEnabled'];
    const aliases = Array.from({ length: 25 }, (_, i) => `a${i}: ${fields[i % fields.length]}`).join(' ');
    // 200 entries with 31 fields each.
    const dear = `{ ... on User { ${fields.join(' ')} ${aliases} } }`;
    const list = (length: number) => Array.from({ length }, () => userOf(member.id));
    const { token } = member;
    const refused = await entities(app, list(200), { token }, dear);
    expect(wrongIn(refused)).toEqual([[undefined, 'invalid_document']]);
    expect(refused.body.errors[0].message).toContain('costs 6200');
    expect((await entities(app, list(193), { token }, dear)).body.errors).toBeUndefined();
  });

  test('the entries may stand in the document', async () => {
    const { token, id } = member;
    const one = `{ _entities(representations: [{ __typename: "User", id: "${id}" }]) { ... on User { id } } }`;
    for (const _ of ['at first', 'and as a document that is known'])
      expect((await app.graphql(one, undefined, { token })).body).toEqual({ data: { _entities: [{ id }] } });
    const none = await app.graphql('{ _entities(representations: []) { __typename } }', undefined, { token });
    expect(wrongIn(none)).toEqual([[undefined, 'invalid_document']]);
  });
});

test('an account that has to set up a factor first is refused', async () => {
  const app = await startApp({ settings: { ...strong, ...settings, mfaRequired: 'everyone' } });
  const { id, token } = await signUp(app);
  const answer = await entities(app, [userOf(id)], { token });
  expect([answer.body.data, wrongIn(answer)]).toEqual([null, [[['_entities'], 'mfa_enrolment_required']]]);
  await app.close();
});

describe('the schema of a subgraph', () => {
  const sdl = '{ _service { sdl } }';

  test('is there while introspection is on, without the fields of a gateway', async () => {
    const app = await startApp({ settings: { ...settings, enableAdminRouter: true } });
    const text: string = (await app.graphql(sdl)).body.data._service.sdl;
    expect(text).toContain('@link(url: "https://specs.apollo.dev/federation/v2.3"');
    expect(text).toContain('type User @key(fields: "id")');
    expect(text).toContain('type PageInfo @shareable');
    expect(text).not.toMatch(/_entities|_service|_Any/);
    expect(await app.gatehouse.graphqlSdl()).not.toMatch(/_entities|_Any|@/);
    await app.close();
  });

  test('is hidden otherwise, and entities are answered all the same', async () => {
    const app = await startApp({ settings: { enableFederation: true } });
    expect(wrongIn(await app.graphql(sdl))).toEqual([[undefined, 'invalid_document']]);
    const { id, token } = await signUp(app);
    const { body } = await entities(app, [userOf(id)], { token }, '{ ... on User { id } }');
    expect(body.data._entities).toEqual([{ id }]);
    await app.close();
  });

  test('has neither field while the flag is off', async () => {
    const app = await startApp({ settings: { graphqlIntrospection: true } });
    for (const query of [sdl, '{ _entities(representations: [1]) { __typename } }'])
      expect(wrongIn(await app.graphql(query))).toEqual([[undefined, 'invalid_document']]);
    await app.close();
  });
});
