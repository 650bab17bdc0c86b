import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, logIn, type Member, password, startApp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Call, doorsOn, type OperationName, resultOf } from '../support/doors.ts';
import { newAddress } from '../support/people.ts';

// Own fields (CONTRACT §15.2), through both doors.

const settings = {
  enableAdminRouter: true,
  userFields: {
    company: { required: true, maxLength: 10 },
    vat_number: { type: 'number' },
    born: { type: 'date' },
    wants_news: { type: 'boolean' },
    heard_of: { visibleTo: 'admin' },
    score: { type: 'number', editableBy: 'admin', visibleTo: 'user' },
    remark: { editableBy: 'admin', visibleTo: 'admin' },
    key_of_host: { editableBy: 'host', visibleTo: 'host' },
  },
  roles: ['editor', 'billing'],
} satisfies ConfigInput;

const own = 'roles fields { company vatNumber born wantsNews heardOf score remark }';
const none = { company: 'Acme', vat_number: null, born: null, wants_news: null, score: null };

describeStory('own fields', backend => {
  let app: App;
  let administrator: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    administrator = await signUpWith({ company: 'Acme' });
    await app.gatehouse.repositories.users.change(administrator.id, { set: { isSuperuser: true } });
  });
  afterAll(() => app?.close());

  /** Registers somebody with these fields, verifies the address and signs in. */
  async function signUpWith(fields: object): Promise<Member> {
    const email = newAddress();
    const registered = await app.rest('POST', '/register', { email, password, fields });
    if (registered.status !== 201) throw new Error(JSON.stringify(registered.body));
    const { body } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    return { id: body.id, email, password, token: await logIn(app, { email, password }) };
  }

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app, own);
    });
    /** The fields that somebody sees; those that are hidden are absent in REST and null in GraphQL. */
    const fieldsOf = ({ fields }: { fields: Record<string, unknown> }) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => !['heard_of', 'remark'].includes(name)));

    test('are given at registration, kept until the verification, and then part of the account', async () => {
      const email = newAddress();
      const fields = {
        company: '  Acme  ',
        vat_number: 12.5,
        born: '2000-02-29',
        wants_news: false,
        heard_of: 'a friend',
      };
      expect(await resultOf(call('register', { email, password, fields }))).toMatchObject({
        status: 'pending_verification',
      });
      const token = tokenOf(await app.nextMail(email));
      const user = await resultOf(call('verify', { token }));
      const seen = { company: 'Acme', vat_number: 12.5, born: '2000-02-29', wants_news: false, score: null };
      expect(fieldsOf(user)).toEqual(seen);
      // A person may be allowed to set a field and not to see it.
      expect(user.fields.heard_of ?? null).toBeNull();
      const session = { token: await logIn(app, { email, password }) };
      expect(fieldsOf(await resultOf(call('me', undefined, session)))).toEqual(seen);
      const stored = await app.gatehouse.repositories.users.find(user.id);
      expect(stored?.fields).toEqual({ ...fields, company: 'Acme' });
    });

    test.each([
      ['without any field', undefined],
      ['without the required one', { vat_number: 1 }],
      ['with nothing but spaces in it', { company: '   ' }],
      ['with null in it', { company: null }],
      ['with a text that is too long', { company: '12345678901' }],
      ['with a number in place of a text', { company: 5 }],
      ['with a control character', { company: 'a\u0000b' }],
      ['with a text in place of a number', { company: 'Acme', vat_number: '5' }],
      ['with a day that there is not', { company: 'Acme', born: '2023-02-29' }],
      ['with a time in place of a day', { company: 'Acme', born: '2023-02-28T00:00:00Z' }],
      ['with a text in place of yes or no', { company: 'Acme', wants_news: 'yes' }],
      ['with an object', { company: { $ne: '' } }],
      ['with a list', { company: ['Acme'] }],
    ])('refuse a registration %s', async (_, fields) => {
      const email = newAddress();
      const answer = await call('register', { email, password, ...(fields && { fields }) });
      expect(answer).toMatchObject({ ok: false });
      // GraphQL refuses what does not fit the type before the operation sees it.
      if (!answer.ok)
        expect([answer.code, answer.status]).toBeOneOf([
          ['invalid_input', 422],
          ['invalid_document', 400],
        ]);
      if (!answer.ok && door.name === 'REST') {
        expect(answer).toMatchObject({ status: 422, errors: [{ path: expect.stringMatching(/^fields\./) }] });
        if (!fields)
          expect(answer).toMatchObject({ errors: [{ path: 'fields.company', message: 'is required' }] });
      }
      expect(await app.gatehouse.repositories.pending.find(email)).toBeNull();
    });

    test('change one by one: what is absent stays, null clears, what is required cannot be cleared', async () => {
      const { token, id } = await signUpWith({ company: 'Acme', vat_number: 1, heard_of: 'a friend' });
      const change = (fields: object) => call('updateProfile', { fields }, { token });
      expect(fieldsOf(await resultOf(change({ vat_number: 2, born: '1999-12-31' })))).toEqual({
        ...none,
        ...{ vat_number: 2, born: '1999-12-31' },
      });
      expect(fieldsOf(await resultOf(change({ vat_number: null, wants_news: true })))).toMatchObject({
        ...{ company: 'Acme', vat_number: null, born: '1999-12-31', wants_news: true },
      });
      for (const company of [null, '', ' ']) {
        expect(await change({ company })).toEqual({
          ...{ ok: false, code: 'invalid_input', status: 422 },
          errors: [{ path: 'fields.company', message: "is required and can't be cleared", rule: 'required' }],
        });
      }
      expect(await change({ company: null, vat_number: 3 })).toMatchObject({ ok: false, status: 422 });
      expect(await resultOf(call('updateProfile', { full_name: 'Ada' }, { token }))).toMatchObject({
        ...{ full_name: 'Ada', fields: { company: 'Acme', born: '1999-12-31' } },
      });
      expect((await app.gatehouse.repositories.users.find(id))?.fields).toEqual({
        ...{ company: 'Acme', born: '1999-12-31', wants_news: true, heard_of: 'a friend' },
      });
    });

    test('are not lost when many change different ones at once', async () => {
      const { token } = await signUpWith({ company: 'Acme' });
      const changes = [{ company: 'Other' }, { vat_number: 5 }, { born: '2001-01-01' }, { wants_news: true }];
      await Promise.all(changes.map(fields => resultOf(call('updateProfile', { fields }, { token }))));
      expect(fieldsOf(await resultOf(call('me', undefined, { token })))).toEqual({
        ...none,
        ...Object.assign({}, ...changes),
      });
    });

    test('are set and seen by administrators as far as their level goes', async () => {
      const member = await signUpWith({ company: 'Acme', heard_of: 'a friend' });
      const updated: object[] = [];
      const stop = app.gatehouse.on('user_updated', event => void updated.push(event));
      const fields = { score: 7, remark: 'nice', company: 'Other' };
      const admin = { token: administrator.token };
      const view = await resultOf(call('adminUpdateUser', { id: member.id, fields }, admin));
      stop();
      expect(view.fields).toEqual({
        ...{ ...none, company: 'Other', score: 7 },
        ...{ heard_of: 'a friend', remark: 'nice' },
      });
      expect((await resultOf(call('user', { id: member.id }, admin))).fields).toEqual(view.fields);
      const mine = await resultOf(call('me', undefined, { token: member.token }));
      expect([mine.fields.score, mine.fields.remark ?? null]).toEqual([7, null]);
      // Events hold what the user sees.
      expect(updated).toMatchObject([{ by: 'admin', user: { id: member.id, fields: { score: 7 } } }]);
      expect(JSON.stringify(updated)).not.toMatch(/nice|a friend|remark/);
      expect(app.logs.map(({ fields }) => fields)).toContainEqual(
        expect.objectContaining({
          ...{ act: 'adminUpdateUser', subject: member.id, outcome: 'ok' },
          changes: ['fields.company', 'fields.score', 'fields.remark'],
        }),
      );
      expect(JSON.stringify(app.logs)).not.toMatch(/nice|a friend|Other/);
    });

    const refused: [OperationName, string, object][] = [
      ['register', 'a field of administrators', { fields: { company: 'Acme', score: 100 } }],
      ['register', 'a field of the host', { fields: { company: 'Acme', key_of_host: 'x' } }],
      ['register', 'an unknown field', { fields: { company: 'Acme', unknown: 'x' } }],
      ['register', 'a field beside the others', { fields: { company: 'Acme' }, score: 100 }],
      ['register', 'a role', { fields: { company: 'Acme' }, roles: ['editor'] }],
      ['register', 'a flag', { fields: { company: 'Acme' }, is_superuser: true }],
      ['register', 'the prototype', { fields: JSON.parse('{"company":"Acme","__proto__":{"score":1}}') }],
      ['verify', 'fields', { fields: { company: 'Other' } }],
      ['verify', 'roles', { roles: ['editor'] }],
      ['updateProfile', 'a field of administrators', { fields: { score: 100 } }],
      ['updateProfile', 'a field that only administrators see and set', { fields: { remark: 'x' } }],
      ['updateProfile', 'a field of the host', { fields: { key_of_host: 'x' } }],
      ['updateProfile', 'a role', { roles: ['editor'] }],
      ['updateProfile', 'a role as a field', { fields: { roles: ['editor'] } }],
      ['updateProfile', 'a flag as a field', { fields: { is_superuser: true } }],
      ['adminUpdateUser', 'a field of the host', { fields: { key_of_host: 'x' } }],
      ['adminUpdateUser', 'an unknown role', { roles: ['root'] }],
      ['adminUpdateUser', 'a role that is none', { roles: [null] }],
    ];
    test.each(refused)('%s gives nobody %s', async (operation, _, given) => {
      const email = newAddress();
      const member = await signUpWith({ company: 'Acme' });
      const user = await app.gatehouse.repositories.users.find(member.id);
      const inputs: Partial<Record<OperationName, object>> = {
        register: { email, password },
        verify: { token: 'some-token' },
        adminUpdateUser: { id: member.id },
      };
      const token = operation === 'adminUpdateUser' ? administrator.token : member.token;
      const answer = await call(operation, { ...inputs[operation], ...given }, { token });
      // In GraphQL the type of the input has no such field.
      const expected =
        door.name === 'REST' || _ === 'an unknown role' ? ['invalid_input', 422] : ['invalid_document', 400];
      expect(answer.ok ? 'accepted' : [answer.code, answer.status]).toEqual(expected);
      expect(await app.gatehouse.repositories.users.find(member.id)).toEqual(user);
      expect(await app.gatehouse.repositories.pending.find(email)).toBeNull();
    });
  });

  test('of a registration that is replaced are those of the last one', async () => {
    const email = newAddress();
    for (const company of ['First', 'Second']) {
      await app.rest('POST', '/register', {
        email,
        password,
        fields: { company, wants_news: company === 'First' },
      });
    }
    const { pending } = app.gatehouse.repositories;
    expect((await pending.find(email))?.fields).toEqual({ company: 'Second', wants_news: false });
    await app.nextMail(email);
    const token = tokenOf(await app.nextMail(email));
    const { body } = await app.rest('POST', '/verify', { token, password });
    expect(body.fields).toMatchObject({ company: 'Second', wants_news: false });
  });

  test('stay with a registration whose link is sent again, and with one that is promoted', async () => {
    const [email, other] = [newAddress(), newAddress()];
    for (const to of [email, other])
      await app.rest('POST', '/register', { email: to, password, fields: { company: 'Acme' } });
    await app.nextMail(email);
    await app.rest('POST', '/resend-verification', { email });
    const token = tokenOf(await app.nextMail(email));
    expect((await app.rest('POST', '/verify', { token })).body.fields).toMatchObject({ company: 'Acme' });
    const promoted = await app.rest('POST', `/admin/pending/${other}/promote`, undefined, administrator);
    expect(promoted.body.fields).toMatchObject({ company: 'Acme', remark: null });
  });

  test('that the configuration drops, or gives another type, are kept, also when others are set', async () => {
    const database = await backend.lendDatabase();
    const at = (userFields: ConfigInput['userFields'], roles: string[] = []) =>
      startApp({ databaseUrl: database.url, settings: { userFields, roles, requireVerification: false } });
    const before = await at({ company: {}, size: { type: 'number' } });
    const email = newAddress();
    const fields = { company: 'Acme', size: 3 };
    const { body } = await before.rest('POST', '/register', { email, password, fields });
    const token = await logIn(before, { email, password });
    await before.close();
    const between = await at({ size: { type: 'date' }, team: {} }, ['editor']);
    const show = await between.rest('GET', '/me', undefined, { token });
    expect(show.body).toMatchObject({ fields: { size: null, team: null }, roles: [] });
    expect(Object.keys(show.body.fields)).toEqual(['size', 'team']);
    await between.rest('PATCH', '/me', { fields: { team: 'Blue' } }, { token });
    expect((await between.gatehouse.repositories.users.find(body.id))?.fields).toEqual({
      ...fields,
      team: 'Blue',
    });
    await between.close();
    const after = await at({ company: {}, size: { type: 'number' }, team: {} });
    expect((await after.rest('GET', '/me', undefined, { token })).body.fields).toEqual({
      ...fields,
      team: 'Blue',
    });
    await after.close();
    await database.drop();
  });
});

describe('without verification', () => {
  test('the fields are there at once', async () => {
    const app = await startApp({ settings: { ...settings, requireVerification: false } });
    const registered: object[] = [];
    app.gatehouse.on('user_registered', event => void registered.push(event));
    const input = { email: newAddress(), password, fields: { company: 'Acme', heard_of: 'a friend' } };
    const { body } = await app.rest('POST', '/register', input);
    expect(body).toMatchObject({ fields: none, roles: [] });
    expect(body.fields).not.toHaveProperty('heard_of');
    expect(registered).toMatchObject([{ user: { fields: none } }]);
    await app.close();
  });
});

test('names that GraphQL writes without underscores come back as they are written', async () => {
  const userFields = { line_2: {}, a__b: {}, ends_: {} };
  const app = await startApp({ settings: { userFields, requireVerification: false } });
  const query = `mutation ($input: RegisterInput!) { register(input: $input) { ... on User { fields { line2 a_B ends_ } } } }`;
  const fields = { line2: 'one', a_B: 'two', ends_: 'three' };
  const { body } = await app.graphql(query, { input: { email: newAddress(), password, fields } });
  expect(body.data.register.fields).toEqual(fields);
  const [user] = await app.gatehouse.repositories.users.list({});
  expect(user?.fields).toEqual({ line_2: 'one', a__b: 'two', ends_: 'three' });
  const wrong = { email: newAddress(), password, fields: { line2: 'x'.repeat(201) } };
  const refused = (await app.graphql(query, { input: wrong })).body.errors[0].extensions;
  expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ path: 'fields.line2' }] });
  await app.close();
});
