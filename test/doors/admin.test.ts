import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { camelCase } from '../../src/graphql/context.ts';
import { newUser } from '../../src/services/new-user.ts';
import { type App, logIn, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { type Backend, describeEachDriver } from '../support/backends.ts';
import { type Answer, type Call, type Door, doors, resultOf } from '../support/doors.ts';

const password = 'correct horse battery';
/** The token of a link that is a JWT, dots included. */
const jwtOf = ({ text }: { text: string }): string => /[?&]token=([\w.-]+)/.exec(text)![1]!;
const newAddress = () => `${randomUUID()}@example.org`;
const admin = { enableAdminRouter: true };

/** A member who is made a superuser behind the service's back. */
async function signUpSuperuser(app: App): Promise<Member> {
  const member = await signUp(app);
  await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser: true } });
  return member;
}

/** Stores users without the price of a password each; every one is a little newer than the one before. */
async function addUsers(app: App, users: { email: string; fullName?: string | null }[]): Promise<string[]> {
  const ids = [];
  for (const { email, fullName = null } of users) {
    app.clock.advance(1);
    const user = newUser(app.clock.now(), { email, fullName, hashedPassword: null, isVerified: true });
    await app.gatehouse.repositories.users.add(user);
    ids.push(user.id);
  }
  return ids;
}

interface List {
  search?: string;
  limit?: unknown;
  is_active?: unknown;
  is_verified?: unknown;
  is_superuser?: unknown;
  is_mfa_enabled?: unknown;
}

/** What a list answers: the addresses on its page, and how many match. */
type Listed = { ok: true; emails: string[]; total: number } | Exclude<Answer, { ok: true }>;
type ListName = 'users' | 'pendingRegistrations';

/** The lists of administration, which the two doors page in ways of their own. */
async function list(door: Door, app: App, token: string, name: ListName, input: List = {}): Promise<Listed> {
  if (door.name === 'REST') {
    const path = name === 'users' ? '/admin/users' : '/admin/pending';
    const query = new URLSearchParams(Object.entries(input).map(([key, value]) => [key, String(value)]));
    const { status, body } = await app.rest('GET', `${path}?${query}`, undefined, { token });
    if (status !== 200) return { ok: false, code: body.code, status, errors: body.errors };
    return { ok: true, emails: body.items.map((item: { email: string }) => item.email), total: body.total };
  }
  const kinds = ['isActive', 'isVerified', 'isSuperuser', 'isMfaEnabled'];
  const ofUsers = (text: (kind: string) => string) => (name === 'users' ? kinds.map(text).join(' ') : '');
  const query = `query ($first: Int, $search: String ${ofUsers(kind => `$${kind}: Boolean`)}) {
    ${name}(first: $first, search: $search ${ofUsers(kind => `${kind}: $${kind}`)}) {
      nodes { email } totalCount } }`;
  const { limit: first, search, ...flags } = input;
  const variables = Object.fromEntries(Object.entries(flags).map(([key, value]) => [camelCase(key), value]));
  const { body } = await app.graphql(query, { first, search, ...variables }, { token });
  const [error] = body.errors ?? [];
  if (error) return { ok: false, ...error.extensions };
  const { nodes, totalCount } = body.data[name];
  return { ok: true, emails: nodes.map((node: { email: string }) => node.email), total: totalCount };
}

/** Both doors once; what a database makes of the operations shows through one of them. */
const waysOn = (backend: Backend) => (backend.name === 'sqlite-memory' ? doors : doors.slice(0, 1));

describeEachDriver('administration', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings: admin });
    root = await signUpSuperuser(app);
  });
  afterAll(() => app?.close());

  const asRoot = () => ({ token: root.token });
  const users = () => app.gatehouse.repositories.users;
  const mailsTo = (email: string) => app.mails.filter(mail => mail.to === email);

  describe.each(waysOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    const search = (text: string, limit = 50) =>
      list(door, app, root.token, 'users', { search: text, limit });

    describe('is open to superusers alone', () => {
      const requests: [Parameters<Call>[0], () => object | undefined][] = [
        ['adminStats', () => undefined],
        ['user', () => ({ id: root.id })],
        ['adminUpdateUser', () => ({ id: root.id, is_active: false })],
        ['adminDeleteUser', () => ({ id: root.id })],
        ['adminResendVerification', () => ({ id: root.id })],
        ['adminUnlock', () => ({ id: root.id })],
        ['adminRevokeSessions', () => ({ id: root.id })],
        ['adminPromotePending', () => ({ email: newAddress() })],
      ];
      test.each(requests)('%s', async (operation, input) => {
        // An attacker with an account of their own calls what only superusers may.
        const unauthenticated = { ok: false, code: 'unauthenticated', status: 401 };
        expect(await call(operation, input())).toEqual(unauthenticated);
        expect(await call(operation, input(), { token: 'garbage' })).toEqual(unauthenticated);
        const { token } = await signUp(app);
        expect(await call(operation, input(), { token })).toEqual({
          ok: false,
          code: 'forbidden',
          status: 403,
        });
        expect(await users().find(root.id)).toMatchObject({ isActive: true, tokensInvalidatedAfter: null });
      });

      test.each(['users', 'pendingRegistrations'] as const)('%s', async name => {
        expect(await list(door, app, '', name)).toMatchObject({ code: 'unauthenticated', status: 401 });
        const { token } = await signUp(app);
        expect(await list(door, app, token, name)).toMatchObject({ code: 'forbidden', status: 403 });
        expect(await list(door, app, root.token, name)).toMatchObject({ ok: true });
      });

      test('from the moment on at which somebody stops being one', async () => {
        const other = await signUpSuperuser(app);
        expect(await call('adminStats', undefined, other)).toMatchObject({ ok: true });
        await resultOf(call('adminUpdateUser', { id: other.id, is_superuser: false }, asRoot()));
        expect(await call('adminStats', undefined, other)).toMatchObject({ code: 'forbidden' });
      });

      test('and tells a stranger nothing about which ids exist', async () => {
        // An attacker tries ids to learn who has an account.
        const { token } = await signUp(app);
        const known = await call('user', { id: root.id }, { token });
        expect(await call('user', { id: randomUUID() }, { token })).toEqual(known);
      });
    });

    test('counts users by what they are, and registrations that still wait', async () => {
      const before = await resultOf(call('adminStats', undefined, asRoot()));
      const [disabled] = await addUsers(app, [{ email: newAddress() }, { email: newAddress() }]);
      await users().change(disabled!, { set: { isActive: false, isVerified: false } });
      await app.rest('POST', '/register', { email: newAddress(), password });
      expect(await resultOf(call('adminStats', undefined, asRoot()))).toEqual({
        total_users: before.total_users + 2,
        active_users: before.active_users + 1,
        verified_users: before.verified_users + 1,
        superusers: before.superusers,
        pending_registrations: before.pending_registrations + 1,
      });
    });

    describe('the list', () => {
      test('is newest first', async () => {
        const tag = randomUUID();
        const emails = [1, 2, 3].map(n => `${n}-${tag}@example.org`);
        await addUsers(
          app,
          emails.map(email => ({ email })),
        );
        expect(await search(tag)).toEqual({ ok: true, emails: emails.toReversed(), total: 3 });
        expect(await search(tag, 2)).toEqual({ ok: true, emails: emails.toReversed().slice(0, 2), total: 3 });
      });

      const picked: [string, List, string[]][] = [
        ['active', { is_active: true }, ['unproven', 'root', 'plain']],
        ['disabled', { is_active: false }, ['disabled']],
        ['unverified', { is_verified: false }, ['unproven']],
        ['superusers', { is_superuser: true }, ['root', 'disabled']],
        ['with a second factor', { is_mfa_enabled: true }, ['root']],
        ['disabled superusers', { is_active: false, is_superuser: true }, ['disabled']],
        ['of a kind that is nobody', { is_active: false, is_mfa_enabled: true }, []],
      ];
      test.each(picked)('picks those who are %s', async (_, flags, names) => {
        const tag = randomUUID();
        const kinds = {
          plain: {},
          disabled: { isActive: false, isSuperuser: true },
          root: { isSuperuser: true, isMfaEnabled: true, phoneNumber: '+4915112345678' },
          unproven: { isVerified: false },
        };
        const ids = await addUsers(
          app,
          Object.keys(kinds).map(name => ({ email: `${name}-${tag}@example.org` })),
        );
        for (const [i, set] of Object.values(kinds).entries()) await users().change(ids[i]!, { set });

        const all = {
          ok: true,
          emails: names.map(name => `${name}-${tag}@example.org`),
          total: names.length,
        };
        expect(await list(door, app, root.token, 'users', { search: tag, ...flags })).toEqual(all);
        const first = { ...all, emails: all.emails.slice(0, 1) };
        expect(await list(door, app, root.token, 'users', { search: tag, limit: 1, ...flags })).toEqual(
          first,
        );
      });

      test('refuses a kind that is neither true nor false', async () => {
        const answer = await list(door, app, root.token, 'users', { is_active: 'maybe' });
        const code = door.name === 'REST' ? 'invalid_input' : 'invalid_document';
        expect(answer).toMatchObject({ ok: false, code });
      });

      test.each([0, -1, 2 ** 31 + 1])('refuses a page of %s', async limit => {
        const answer = await list(door, app, root.token, 'users', { limit });
        const code = door.name === 'GraphQL' && limit > 2 ** 31 ? 'invalid_document' : 'invalid_input';
        // More than 200 is what a client may ask for and does not get; GraphQL's Int ends before 2^31.
        if (door.name === 'REST' && limit > 0) expect(answer).toMatchObject({ ok: true });
        else expect(answer).toMatchObject({ ok: false, code });
      });

      const found: [string, { email?: string; fullName?: string }, string][] = [
        ['a part of the address', { email: 'find-me@example.org' }, 'ind-m'],
        ['a part of the name', { fullName: 'Ada King of Lovelace' }, 'King of'],
        ['the address in other case', { email: 'mixed-case@example.org' }, 'MIXED-Case@EXAMPLE'],
        ['the name in other case', { fullName: 'GRACE Hopper' }, 'grace hOPPER'],
        ['umlauts as they are', { fullName: 'Änne Müller' }, 'Änne Mü'],
        ['umlauts and ASCII of other case', { fullName: 'Jörg Weiß' }, 'jöRG weIß'],
        ['a per cent sign', { fullName: '100% sure' }, '0%'],
        ['an underscore', { email: 'a_b@example.org' }, 'a_b'],
        ['a backslash', { fullName: 'back\\slash' }, 'k\\s'],
        ['a quote', { email: "o'hara@example.org" }, "o'h"],
        ['a double quote', { fullName: 'the "Duke"' }, '"duke"'],
        ['an operator', { fullName: 'Mr. $ne' }, '$ne'],
        ['a pattern', { fullName: 'x.*[a-z]+(y)?^$|{2}' }, '.*[A-Z]+(y)?^$|{2}'],
        // An attacker searches with the sign that stands for a bound value.
        ['a question mark', { fullName: 'who? me' }, 'o? M'],
        ['two question marks', { fullName: 'what?? no' }, 't?? N'],
        ['a slash', { fullName: 'either/or' }, '/o'],
        ['beyond the basic plane', { fullName: 'cat 🐈 person' }, '🐈 P'],
        ['spaces', { fullName: 'two  spaces' }, 'o  s'],
      ];
      test.each(found)('finds %s', async (_, { email, fullName }, text) => {
        const tag = randomUUID();
        const address = email ? `${tag}-${email}` : `${tag}@example.org`;
        await addUsers(app, [{ email: address, fullName: fullName ? `${fullName} ${tag}` : null }]);
        // What is searched for stands in no tag, so what others left is in the answer at most beside it.
        const answer = await search(text, 200);
        expect(answer).toMatchObject({ ok: true });
        expect('emails' in answer && answer.emails).toContain(address);
      });

      const unfound: [string, string, string][] = [
        ['a per cent sign', 'percent', 'per%nt'],
        ['an underscore', 'underscore', 'under_core'],
        ['a dot', 'dotted', 'dot.ed'],
        ['a star', 'starred', 's.*d'],
        ['an end of text', 'ended', 'ended$'],
        ['a choice', 'chosen', 'chosen|nothing'],
        ['an empty pattern', 'empty', '(?:)'],
        ['an end of SQL', 'quoted', "' or '1'='1"],
        ['a comment', 'comment', "' -- "],
        ['a bound value', 'bound 0', 'bound ?'],
        ['a bound name', 'named', 'named ??'],
        ['an umlaut in other case', 'MÜLLER', 'müller'],
        ['a letter without its dots', 'Müller', 'muller'],
        ['the Kelvin sign', 'kelvin', '\u212aelvin'],
        ['the long s', 'salt', '\u017falt'],
        ['a letter and its accent apart', 'Jos\u00e9', 'Jose\u0301'],
      ];
      test.each(unfound)('takes %s for nothing but itself', async (_, name, text) => {
        // An attacker searches with what a database might take for more than plain text.
        const tag = randomUUID();
        await addUsers(app, [{ email: `${tag}@example.org`, fullName: `${tag} ${name}` }]);
        expect(await search(`${tag} ${text}`)).toEqual({ ok: true, emails: [], total: 0 });
        expect(await search(`${tag} ${name}`)).toMatchObject({ total: 1 });
      });

      test.each([
        ['NUL', 'a\0b'],
        ['a newline', 'a\nb'],
        ['too much', 'x'.repeat(255)],
      ])('refuses to search for %s', async (_, text) => {
        expect(await search(text)).toMatchObject({
          code: 'invalid_input',
          status: 422,
          errors: [{ path: 'search', message: expect.any(String) }],
        });
      });

      test('holds nothing that UserPublic does not name', async () => {
        const { body } = await app.rest('GET', '/admin/users', undefined, asRoot());
        expect(Object.keys(body).toSorted()).toEqual(['items', 'limit', 'skip', 'total']);
        expect(Object.keys(body.items[0]).toSorted()).toEqual([
          ...['created_at', 'email', 'full_name', 'id', 'is_active', 'is_mfa_enabled', 'is_superuser'],
          ...['is_verified', 'last_login', 'phone_number', 'tokens_invalidated_after', 'updated_at'],
        ]);
        expect(JSON.stringify(body)).not.toMatch(/argon2|hash|issued/);
      });
    });

    test('reads one user as that user reads itself', async () => {
      const member = await signUp(app);
      const me = await resultOf(call('me', undefined, member));
      expect(await resultOf(call('user', { id: member.id }, asRoot()))).toEqual(me);
    });

    const strangeIds: [string, string][] = [
      ['unknown', randomUUID()],
      ['of another form', 'nobody'],
      ['with slashes', '../users/x'],
      ['with a quote', "' or 1=1 --"],
      ['like an operator', '{"$ne":null}'],
      ['of per cent signs', '%00%2f'],
      ['of dots', '...'],
      ['beyond ASCII', 'ünïcode 🐈'],
    ];
    test.each(strangeIds)('knows no user whose id is %s', async (_, id) => {
      const missing = { ok: false, code: 'not_found', status: 404 };
      expect(await call('user', { id }, asRoot())).toEqual(missing);
      expect(await call('adminUpdateUser', { id, is_active: false }, asRoot())).toEqual(missing);
      expect(await call('adminDeleteUser', { id }, asRoot())).toEqual(missing);
      expect(await call('adminResendVerification', { id }, asRoot())).toEqual(missing);
      expect(await call('adminUnlock', { id }, asRoot())).toEqual(missing);
      expect(await call('adminRevokeSessions', { id }, asRoot())).toEqual(missing);
    });

    test.each([
      ['NUL', 'a\0b'],
      ['201 characters', 'x'.repeat(201)],
      ['10,000 characters', 'x'.repeat(10_000)],
    ])('refuses an id of %s', async (_, id) => {
      const refused = { code: 'invalid_input', status: 422, errors: [{ path: 'id' }] };
      expect(await call('user', { id }, asRoot())).toMatchObject(refused);
      expect(await call('adminDeleteUser', { id }, asRoot())).toMatchObject(refused);
    });

    describe('changes an account:', () => {
      test('disabling ends its sessions for good, and enabling lets it sign in again', async () => {
        const member = await signUp(app);
        const reset = app.mails.length;
        const view = await resultOf(call('adminUpdateUser', { id: member.id, is_active: false }, asRoot()));
        expect(view).toMatchObject({ id: member.id, is_active: false });
        const issued = (await users().find(member.id))!.lastIssuedAt!;
        expect(Date.parse(view.tokens_invalidated_after)).toBeGreaterThanOrEqual(issued.getTime());
        expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
        expect(await call('login', member_(member))).toMatchObject({ code: 'account_disabled', status: 403 });

        await resultOf(call('adminUpdateUser', { id: member.id, is_active: true }, asRoot()));
        expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
        const token = await logIn(app, member);
        expect(await call('me', undefined, { token })).toMatchObject({ ok: true });
        expect(app.mails.length).toBe(reset);
      });

      test('disabling kills links that were mailed before', async () => {
        const member = await signUp(app);
        await app.rest('POST', '/forgot-password', { email: member.email });
        const token = jwtOf(await app.nextMail(member.email));
        await resultOf(call('adminUpdateUser', { id: member.id, is_active: false }, asRoot()));
        await resultOf(call('adminUpdateUser', { id: member.id, is_active: true }, asRoot()));
        const reset = await app.rest('POST', '/reset-password', { token, new_password: 'another password' });
        expect(reset.body).toMatchObject({ code: 'invalid_token' });
      });

      test('enabling one that is enabled ends no session', async () => {
        const member = await signUp(app);
        await resultOf(call('adminUpdateUser', { id: member.id, is_active: true }, asRoot()));
        expect(await call('me', undefined, member)).toMatchObject({ ok: true });
      });

      test('making it a superuser is told by mail, once, and works at once', async () => {
        const member = await signUp(app);
        const before = mailsTo(member.email).length;
        const grant = { id: member.id, is_superuser: true };
        expect(await resultOf(call('adminUpdateUser', grant, asRoot()))).toMatchObject({
          is_superuser: true,
        });
        const notice = await app.nextMail(member.email);
        expect(notice.text).not.toMatch(/token=/);
        expect(await call('adminStats', undefined, member)).toMatchObject({ ok: true });
        await resultOf(call('adminUpdateUser', grant, asRoot()));
        await resultOf(call('adminUpdateUser', { id: member.id, is_superuser: false }, asRoot()));
        expect(mailsTo(member.email)).toHaveLength(before + 1);
      });

      test('a name is set, trimmed, kept when absent and cleared by null', async () => {
        const { id } = await signUp(app);
        const named = async (input: object) =>
          (await resultOf(call('adminUpdateUser', { id, ...input }, asRoot()))).full_name;
        expect(await named({ full_name: ' Ada ' })).toBe('Ada');
        expect(await named({ is_active: true })).toBe('Ada');
        expect(await named({})).toBe('Ada');
        expect(await named({ full_name: null })).toBeNull();
      });

      test('null for a flag changes nothing', async () => {
        const member = await signUp(app);
        const input = { id: member.id, is_active: null, is_superuser: null };
        const view = await resultOf(call('adminUpdateUser', input, asRoot()));
        expect(view).toMatchObject({ is_active: true, is_superuser: false });
        expect(await call('me', undefined, member)).toMatchObject({ ok: true });
      });

      const forbidden: [string, unknown][] = [
        ['email', 'eve@example.org'],
        ['is_verified', true],
        ['hashed_password', 'x'],
        ['phone_number', '+441234567890'],
        ['is_mfa_enabled', false],
        ['tokens_invalidated_after', null],
        ['created_at', '2020-01-01T00:00:00.000Z'],
        ['last_issued_at', null],
        ['_id', 'x'],
        ['constructor', 'x'],
      ];
      test.each(forbidden)('%s cannot be changed this way', async (field, value) => {
        // An attacker who may change little sends names of columns and hopes that they are stored.
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        const before = await users().find(id!);
        const answer = await call('adminUpdateUser', { id, is_active: true, [field]: value }, asRoot());
        expect(answer).toMatchObject({ ok: false, status: door.name === 'REST' ? 422 : 400 });
        expect(await users().find(id!)).toEqual(before);
      });

      const wrong: [string, object][] = [
        ['a text for a flag', { is_active: 'false' }],
        ['a number for a flag', { is_superuser: 1 }],
        ['an operator for a name', { full_name: { $ne: null } }],
        ['a list for a flag', { is_active: [false] }],
      ];
      test.each(wrong)('%s is refused', async (_, input) => {
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        const before = await users().find(id!);
        expect(await call('adminUpdateUser', { id, ...input }, asRoot())).toMatchObject({ ok: false });
        expect(await users().find(id!)).toEqual(before);
      });
    });

    test('deletes an account: its sessions are dead, its address is free, its id never comes back', async () => {
      const member = await signUp(app);
      expect(await resultOf(call('adminDeleteUser', { id: member.id }, asRoot()))).toEqual({
        message: expect.any(String),
      });
      expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
      expect(await call('login', member_(member))).toMatchObject({ code: 'invalid_credentials' });
      expect(await call('user', { id: member.id }, asRoot())).toMatchObject({ code: 'not_found' });
      expect(await call('adminDeleteUser', { id: member.id }, asRoot())).toMatchObject({ code: 'not_found' });
      const again = await signUp(app, member.email);
      expect(again.id).not.toBe(member.id);
      expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
    });

    test('sends a new link to a user who is not verified, and refuses one who is', async () => {
      const [id] = await addUsers(app, [{ email: newAddress() }]);
      const { email } = (await users().find(id!))!;
      const again = () => call('adminResendVerification', { id }, asRoot());
      expect(await again()).toEqual({ ok: false, code: 'already_verified', status: 409 });
      expect(mailsTo(email)).toEqual([]);

      await users().change(id!, { set: { isVerified: false } });
      expect(await resultOf(again())).toEqual({ message: expect.any(String) });
      const first = tokenOf(await app.nextMail(email));
      await resultOf(again());
      const second = tokenOf(await app.nextMail(email));
      expect(await call('verify', { token: first })).toMatchObject({ code: 'invalid_token' });
      expect(await call('verify', { token: second })).toMatchObject({ ok: true, value: { id } });
      expect(await again()).toMatchObject({ code: 'already_verified' });
    });

    test('unlocks an account that wrong passwords have locked', async () => {
      const member = await signUp(app);
      const guess = { email: member.email, password: 'wrong horse battery' };
      for (let i = 0; i < 5; i++) {
        expect(await call('login', guess)).toMatchObject({ code: 'invalid_credentials' });
      }
      expect(await call('login', member_(member))).toMatchObject({ code: 'account_locked', status: 429 });
      await resultOf(call('adminUnlock', { id: member.id }, asRoot()));
      expect(await call('login', member_(member))).toMatchObject({ ok: true });
    });

    test('ends every session of an account, and none of another', async () => {
      const member = await signUp(app);
      const other = await logIn(app, member);
      const view = await resultOf(call('adminRevokeSessions', { id: member.id }, asRoot()));
      expect(view).toMatchObject({ id: member.id, tokens_invalidated_after: expect.any(String) });
      for (const token of [member.token, other]) {
        expect(await call('me', undefined, { token })).toMatchObject({ code: 'unauthenticated' });
      }
      expect(await call('me', undefined, asRoot())).toMatchObject({ ok: true });
      expect(await call('me', undefined, { token: await logIn(app, member) })).toMatchObject({ ok: true });
    });

    describe('pending registrations', () => {
      const pending = (text: string) => list(door, app, root.token, 'pendingRegistrations', { search: text });

      test('are listed while they wait, and not those of users or of the past', async () => {
        const tag = randomUUID();
        const email = `waiting-${tag}@example.org`;
        await app.rest('POST', '/register', { email, password, full_name: `Ada ${tag}` });
        expect(await pending(tag.toUpperCase())).toEqual({ ok: true, emails: [email], total: 1 });
        expect(await pending(`ada ${tag}`)).toMatchObject({ total: 1 });

        const [id] = await addUsers(app, [{ email: `user-${tag}@example.org` }]);
        await users().change(id!, { set: { isVerified: false } });
        await resultOf(call('adminResendVerification', { id }, asRoot()));
        expect(await pending(tag)).toMatchObject({ emails: [email], total: 1 });
      });

      test('end with their link, in every list and count', async () => {
        const own = await startApp({ backend, settings: { ...admin, verificationTokenTtlSeconds: 60 } });
        const { token } = await signUpSuperuser(own);
        const email = newAddress();
        await own.rest('POST', '/register', { email, password });
        own.clock.advance(60_000);
        const options = { token };
        expect(await list(door, own, token, 'pendingRegistrations')).toMatchObject({ emails: [], total: 0 });
        expect(await resultOf(door.at(own)('adminStats', undefined, options))).toMatchObject({
          pending_registrations: 0,
        });
        expect(await door.at(own)('adminPromotePending', { email }, options)).toMatchObject({
          code: 'not_found',
        });
        await own.close();
      });

      test('come in the order of their addresses, the same on every database', async () => {
        const tag = randomUUID().slice(0, 8);
        const emails = ['a', 'a-b', 'a.b', 'ab', 'a_b', 'a+b', 'b', 'a0', '~a'].map(
          name => `${name}.${tag}@example.org`,
        );
        for (const email of emails) {
          await app.gatehouse.repositories.pending.replace({
            email,
            tokenHash: randomUUID(),
            userId: null,
            hashedPassword: null,
            fullName: null,
            createdAt: app.clock.now(),
            expiresAt: new Date(app.clock.now().getTime() + 1000),
          });
        }
        const listed = await pending(tag);
        expect('emails' in listed && listed.emails).toEqual(emails.toSorted());
      });

      test('become verified users without the mail, and their link is dead', async () => {
        const email = `${randomUUID()}+x/y%@example.org`;
        await app.rest('POST', '/register', { email, password, full_name: 'Ada' });
        const link = tokenOf(await app.nextMail(email));
        const events: string[] = [];
        const offs = (['user_registered', 'user_verified'] as const).map(name =>
          app.gatehouse.on(name, ({ user }) => void (user.email === email && events.push(name))),
        );
        const user = await resultOf(call('adminPromotePending', { email }, asRoot()));
        for (const off of offs) off();
        expect(user).toMatchObject({ email, full_name: 'Ada', is_verified: true, is_superuser: false });
        expect(events).toEqual(['user_registered', 'user_verified']);
        expect(await call('verify', { token: link })).toMatchObject({ code: 'invalid_token' });
        expect(await call('adminPromotePending', { email }, asRoot())).toMatchObject({ code: 'not_found' });
        expect(await pending(email)).toMatchObject({ total: 0 });
        const token = await logIn(app, { email, password });
        expect(await resultOf(call('me', undefined, { token }))).toMatchObject({ id: user.id });
      });

      test('that nobody made are not found, nor are those that verify a user who is there', async () => {
        const missing = { ok: false, code: 'not_found', status: 404 };
        expect(await call('adminPromotePending', { email: newAddress() }, asRoot())).toEqual(missing);
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        await users().change(id!, { set: { isVerified: false } });
        const { email } = (await users().find(id!))!;
        await resultOf(call('adminResendVerification', { id }, asRoot()));
        expect(await call('adminPromotePending', { email }, asRoot())).toEqual(missing);
        expect(await users().find(id!)).toMatchObject({ isVerified: false });
      });

      test('are promoted once, however many try at once', async () => {
        const email = newAddress();
        await app.rest('POST', '/register', { email, password });
        const link = tokenOf(await app.nextMail(email));
        const answers = await Promise.all([
          ...Array.from({ length: 4 }, () => call('adminPromotePending', { email }, asRoot())),
          ...Array.from({ length: 4 }, () => call('verify', { token: link })),
        ]);
        expect(answers.filter(answer => answer.ok)).toHaveLength(1);
        expect(await search(email)).toMatchObject({ total: 1 });
      });

      test('of a malformed address are refused', async () => {
        expect(await call('adminPromotePending', { email: 'nobody' }, asRoot())).toMatchObject({
          code: 'invalid_input',
          errors: [{ path: 'email' }],
        });
      });
    });
  });

  describe('pages of the list, through REST', () => {
    let tag: string;
    let emails: string[];
    beforeAll(async () => {
      tag = randomUUID();
      emails = Array.from({ length: 12 }, (_, n) => `${n}-${tag}@example.org`);
      await addUsers(
        app,
        emails.map(email => ({ email })),
      );
    });
    const get = (query: string) =>
      app.rest('GET', `/admin/users?search=${tag}&${query}`, undefined, asRoot());

    test('begin where asked for and hold as many as asked for', async () => {
      const newest = emails.toReversed();
      for (const [skip, limit] of [
        [0, 5],
        [5, 5],
        [10, 5],
        [12, 5],
        [2 ** 31, 1],
      ] as const) {
        const { status, body } = await get(`skip=${skip}&limit=${limit}`);
        expect(status).toBe(200);
        expect(body).toMatchObject({ total: 12, skip, limit });
        expect(body.items.map((item: { email: string }) => item.email)).toEqual(
          newest.slice(skip, skip + limit),
        );
      }
    });

    test('are of 50 when nobody says, and never longer than 200', async () => {
      expect((await get('')).body).toMatchObject({ skip: 0, limit: 50 });
      for (const limit of [200, 201, 2 ** 31 + 1, 999_999_999_999_999]) {
        expect((await get(`limit=${limit}`)).body).toMatchObject({ limit: 200 });
      }
    });

    test.each([
      ['skip', '-1'],
      ['skip', String(2 ** 31 + 1)],
      ['skip', '1.5'],
      ['skip', '1e3'],
      ['skip', ''],
      ['skip', '0x10'],
      ['skip', '9'.repeat(400)],
      ['limit', '0'],
      ['limit', '-1'],
      ['limit', 'all'],
      ['limit', ' 5'],
    ])('refuse %s=%s', async (name, value) => {
      const reply = await get(`${name}=${encodeURIComponent(value)}`);
      expect(reply.status).toBe(422);
      expect(reply.body.errors).toEqual([{ path: name, message: expect.any(String) }]);
    });

    test('refuse a parameter that stands twice, is unknown, or is made of brackets', async () => {
      for (const [query, path] of [
        ['limit=5&limit=6', 'limit'],
        ['search=x', 'search'],
        ['is_owner=true', 'is_owner'],
        ['is_active=1', 'is_active'],
        ['limit[$gt]=1', 'limit[$gt]'],
        ['__proto__=1', '__proto__'],
      ]) {
        const reply = await get(query!);
        expect(reply.status).toBe(422);
        expect(reply.body.errors).toEqual([{ path, message: expect.any(String) }]);
      }
    });

    test('of pending registrations follow the same rules', async () => {
      const pending = (query: string) => app.rest('GET', `/admin/pending?${query}`, undefined, asRoot());
      const { status, body } = await pending('limit=500&skip=3');
      expect(status).toBe(200);
      expect(body).toMatchObject({ limit: 200, skip: 3 });
      expect((await pending('limit=0')).status).toBe(422);
      expect((await pending('skip=-1')).status).toBe(422);
      const email = newAddress();
      await app.rest('POST', '/register', { email, password, full_name: 'Ada' });
      const [item] = (await pending(`search=${encodeURIComponent(email)}`)).body.items;
      expect(item).toEqual({
        email,
        full_name: 'Ada',
        created_at: app.clock.now().toISOString(),
        expires_at: new Date(app.clock.now().getTime() + 86_400_000).toISOString(),
      });
    });
  });

  test('refuses an id in the body of a request whose path has one', async () => {
    // An attacker hopes that one id is checked and the other one used.
    const [victim] = await addUsers(app, [{ email: newAddress() }]);
    const [other] = await addUsers(app, [{ email: newAddress() }]);
    const body = { id: victim, is_active: false };
    const reply = await app.rest('PATCH', `/admin/users/${other}`, body, asRoot());
    expect(reply.status).toBe(422);
    expect(reply.body.errors).toEqual([{ path: 'id', message: expect.any(String) }]);
    for (const id of [victim!, other!]) expect(await users().find(id)).toMatchObject({ isActive: true });
    const twice = await app.rest(
      'POST',
      '/admin/pending/a@example.org/promote',
      { email: 'b@x.org' },
      asRoot(),
    );
    expect(twice.status).toBe(422);
  });

  test.each(['%', '%zz', '%c3%28', 'a%2', '%ed%a0%80'])(
    'knows no user under the broken path %s',
    async id => {
      expect(await app.rest('GET', `/admin/users/${id}`, undefined, asRoot())).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    },
  );

  describe('connections', () => {
    const names = ['users', 'pendingRegistrations'] as const;
    const connection = `edges { cursor node { email } } nodes { email }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount`;
    const ask = async (name: ListName, args: object) => {
      const query = `query ($first: Int, $after: String, $search: String) {
        ${name}(first: $first, after: $after, search: $search) { ${connection} } }`;
      return (await app.graphql(query, args, asRoot())).body;
    };
    const page = async (name: ListName, args: object) => (await ask(name, args)).data[name];

    async function addTwelve(name: ListName): Promise<{ tag: string; emails: string[] }> {
      const tag = randomUUID();
      const emails = Array.from({ length: 12 }, (_, n) => `${String(n).padStart(2, '0')}-${tag}@example.org`);
      if (name === 'users')
        await addUsers(
          app,
          emails.map(email => ({ email })),
        );
      else {
        for (const email of emails) await app.rest('POST', '/register', { email, password });
      }
      return { tag, emails: name === 'users' ? emails.toReversed() : emails };
    }

    test.each(names)('%s: 12 come in pages of 5, each once', async name => {
      const { tag, emails } = await addTwelve(name);
      const seen: string[] = [];
      const sizes: number[] = [];
      let after: string | null = null;
      for (;;) {
        const { edges, nodes, pageInfo, totalCount } = await page(name, { first: 5, after, search: tag });
        expect(totalCount).toBe(12);
        expect(edges.map((edge: { node: object }) => edge.node)).toEqual(nodes);
        expect(pageInfo).toMatchObject({
          hasPreviousPage: false,
          startCursor: edges[0].cursor,
          endCursor: edges.at(-1).cursor,
        });
        seen.push(...nodes.map((node: { email: string }) => node.email));
        sizes.push(nodes.length);
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
      expect(sizes).toEqual([5, 5, 2]);
      expect(seen).toEqual(emails);
    });

    test.each(names)('%s: a full last page has none behind it', async name => {
      const { tag } = await addTwelve(name);
      const { pageInfo } = await page(name, { first: 12, search: tag });
      expect(pageInfo.hasNextPage).toBe(false);
      expect((await page(name, { first: 11, search: tag })).pageInfo.hasNextPage).toBe(true);
      const behind = await page(name, { first: 5, after: pageInfo.endCursor, search: tag });
      expect(behind).toEqual({
        edges: [],
        nodes: [],
        totalCount: 12,
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      });
    });

    test('a page goes on behind its cursor whatever was added or deleted meanwhile', async () => {
      const { tag, emails } = await addTwelve('users');
      const { pageInfo } = await page('users', { first: 5, search: tag });
      await addUsers(app, [{ email: `new-${tag}@example.org` }]);
      const last = (await users().findByEmail(emails[4]!))!;
      await users().remove(last.id);
      const next = await page('users', { first: 5, after: pageInfo.endCursor, search: tag });
      expect(next.nodes.map((node: { email: string }) => node.email)).toEqual(emails.slice(5, 10));
    });

    test('a search and a cursor are never taken for parts of a statement, alone or together', async () => {
      // An attacker puts signs of bound values into one text so that another one ends up outside of its quotes.
      const { tag } = await addTwelve('users');
      const everything = Buffer.from(") or 1 = 1 or ('' = '").toString('base64url');
      for (const search of ['?', '??', `${tag}?`, '\\?', `? ? ?`]) {
        const { data, errors } = await ask('users', { first: 5, after: everything, search });
        expect(errors).toBeUndefined();
        expect(JSON.stringify(data.users.nodes)).not.toContain(tag);
      }
    });

    test.each(names)('%s: an empty one has no cursors', async name => {
      expect(await page(name, { search: randomUUID() })).toEqual({
        edges: [],
        nodes: [],
        totalCount: 0,
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      });
    });

    test.each([
      ['not base64', 'not a cursor!'],
      ['padded', `${Buffer.from('x').toString('base64')}`],
      ['not UTF-8', Buffer.from([0xff, 0xfe]).toString('base64url')],
      ['NUL', Buffer.from('a\0b').toString('base64url')],
      ['too long', Buffer.from('x'.repeat(1500)).toString('base64url')],
    ])('a cursor that is %s is refused', async (_, after) => {
      for (const name of names) {
        const { data, errors } = await ask(name, { first: 5, after });
        expect(data).toEqual({ [name]: null });
        expect(errors[0].extensions).toMatchObject({
          code: 'invalid_input',
          status: 422,
          errors: [{ path: 'after', message: 'is not a cursor' }],
        });
      }
    });

    test.each([0, -1, -(2 ** 31)])('a page of %s is refused, in the name of this door', async first => {
      const { errors } = await ask('users', { first });
      expect(errors[0].extensions).toMatchObject({
        code: 'invalid_input',
        errors: [{ path: 'first', message: expect.any(String) }],
      });
    });

    test('a page is never longer than 200', async () => {
      const tag = randomUUID();
      await addUsers(
        app,
        Array.from({ length: 201 }, (_, n) => ({ email: `${n}-${tag}@example.org` })),
      );
      const { nodes, pageInfo, totalCount } = await page('users', { first: 2 ** 31 - 1, search: tag });
      expect(nodes).toHaveLength(200);
      expect(pageInfo.hasNextPage).toBe(true);
      expect(totalCount).toBe(201);
    });
  });
});

/** What login takes of a member. */
const member_ = ({ email, password }: Member) => ({ email, password });

describeEachDriver('the last active superuser', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings: admin });
    root = await signUpSuperuser(app);
  });
  afterAll(() => app?.close());

  const last = { ok: false, code: 'last_superuser', status: 409 };
  const users = () => app.gatehouse.repositories.users;

  describe.each(waysOn(backend))('through $name', door => {
    test('is neither disabled, nor demoted, nor deleted, by nobody and not by itself', async () => {
      const call = door.at(app);
      const before = await users().find(root.id);
      for (const change of [
        { is_active: false },
        { is_superuser: false },
        { is_active: false, is_superuser: false },
      ]) {
        expect(await call('adminUpdateUser', { id: root.id, ...change }, root)).toEqual(last);
      }
      expect(await call('adminDeleteUser', { id: root.id }, root)).toEqual(last);
      const leave = await app.rest('DELETE', '/account', { current_password: password }, root);
      expect(leave.body).toMatchObject({ code: 'last_superuser', status: 409 });
      expect(await users().find(root.id)).toEqual(before);
      expect(await call('me', undefined, root)).toMatchObject({ ok: true });
    });

    test('can change its name, and stays what it is when told so', async () => {
      const call = door.at(app);
      const input = { id: root.id, is_active: true, is_superuser: true, full_name: 'Root' };
      expect(await call('adminUpdateUser', input, root)).toMatchObject({
        ok: true,
        value: { full_name: 'Root' },
      });
    });

    test('is not counted with those who are disabled', async () => {
      const call = door.at(app);
      const other = await signUpSuperuser(app);
      await resultOf(call('adminUpdateUser', { id: other.id, is_active: false }, root));
      expect(await call('adminDeleteUser', { id: root.id }, root)).toEqual(last);
      // A disabled one holds nothing up.
      expect(await call('adminDeleteUser', { id: other.id }, root)).toMatchObject({ ok: true });
    });

    test('may go when there is another', async () => {
      const call = door.at(app);
      const other = await signUpSuperuser(app);
      expect(await call('adminUpdateUser', { id: other.id, is_superuser: false }, other)).toMatchObject({
        ok: true,
      });
      const third = await signUpSuperuser(app);
      expect(await call('adminDeleteUser', { id: third.id }, third)).toMatchObject({ ok: true });
    });
  });

  const removals: [string, (call: Call, by: Member, id: string) => Promise<Answer>][] = [
    ['disable', (call, by, id) => call('adminUpdateUser', { id, is_active: false }, by)],
    ['demote', (call, by, id) => call('adminUpdateUser', { id, is_superuser: false }, by)],
    ['delete', (call, by, id) => call('adminDeleteUser', { id }, by)],
  ];
  test.each(removals)('is left when two %s each other at once', async (name, remove) => {
    // Two superusers who fell out, or one attacker with two sessions, lock everybody out of administration.
    const [restDoor, graphqlDoor] = doors.map(door => door.at(app)) as [Call, Call];
    await users().change(root.id, { set: { isSuperuser: false } });
    let one = await signUpSuperuser(app);
    let two = await signUpSuperuser(app);
    const rounds = name === 'delete' ? 10 : 20;
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all([remove(restDoor, one, two.id), remove(graphqlDoor, two, one.id)]);
      expect(await users().countActiveSuperusers()).toBeGreaterThan(0);
      const allowed = ['last_superuser', 'unauthenticated', 'forbidden'];
      for (const answer of answers) {
        if (!answer.ok) expect(allowed).toContain(answer.code);
      }
      // Both are put back for the next round; whoever was cut off or deleted comes anew.
      [one, two] = [await restored(one), await restored(two)];
    }
    await users().change(root.id, { set: { isSuperuser: true } });
    for (const { id } of [one, two]) await users().remove(id);

    async function restored(member: Member): Promise<Member> {
      if (!(await users().find(member.id))) return signUpSuperuser(app);
      await users().change(member.id, { set: { isActive: true, isSuperuser: true } });
      return { ...member, token: await logIn(app, member) };
    }
  });
});
