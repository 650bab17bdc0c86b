import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, password } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doorsOn } from '../support/doors.ts';
import { newAddress, startAdministration } from '../support/people.ts';
import { addUsers, type List, list } from './administration.ts';

describeEachDriver('administration', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend));
  });
  afterAll(() => app?.close());
  const asRoot = () => ({ token: root.token });
  const users = () => app.gatehouse.repositories.users;

  describe.each(doorsOn(backend))('through $name', door => {
    const search = (text: string, limit = 50) =>
      list(door, app, root.token, 'users', { search: text, limit });

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
        ['a short text at the beginning of the name', { fullName: 'Qx Short' }, 'qX'],
        ['a per cent sign', { fullName: '100% sure' }, '00%'],
        ['an underscore', { email: 'a_b@example.org' }, 'a_b'],
        ['a backslash', { fullName: 'back\\slash' }, 'k\\s'],
        ['a quote', { email: "o'hara@example.org" }, "o'h"],
        ['a double quote', { fullName: 'the "Duke"' }, '"duke"'],
        ['an operator', { fullName: 'Mr. $ne' }, '$ne'],
        ['a pattern', { fullName: 'x.*[a-z]+(y)?^$|{2}' }, '.*[A-Z]+(y)?^$|{2}'],
        // An attacker searches with the sign that stands for a bound value.
        ['a question mark', { fullName: 'who? me' }, 'o? M'],
        ['two question marks', { fullName: 'what?? no' }, 't?? N'],
        ['a slash', { fullName: 'either/or' }, '/or'],
        ['beyond the basic plane', { fullName: 'cat 🐈 person' }, '🐈 P'],
        ['spaces', { fullName: 'two  spaces' }, 'o  s'],
        ['an umlaut in other case', { fullName: 'MÜLLER' }, 'müller'],
      ];

      test.each(found)('finds %s', async (_, { email, fullName }, text) => {
        const tag = randomUUID();
        const address = email ? `${tag}-${email}` : `${tag}@example.org`;
        await addUsers(app, [{ email: address, fullName: fullName ? `${fullName} ${tag}` : null }]);
        // The searched text is in no tag, so rows of other tests can only add to the answer.
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
        ['two letters for one', 'Straße', 'strasse'],
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

      test('holds nothing that UserPublic does not name, but whether an account is reported or locked', async () => {
        const { body } = await app.rest('GET', '/admin/users', undefined, asRoot());
        expect(Object.keys(body).toSorted()).toEqual(['has_more', 'items', 'limit', 'skip', 'total']);
        expect(Object.keys(body.items[0]).toSorted()).toEqual([
          ...['created_at', 'email', 'full_name', 'id', 'is_active', 'is_mfa_enabled', 'is_superuser'],
          ...['is_verified', 'last_login', 'locked_until', 'phone_number', 'reported_at'],
          'tokens_invalidated_after',
          'updated_at',
        ]);
        expect(JSON.stringify(body)).not.toMatch(/argon2|hash|issued/);
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

    test('are of 50 by default, and never longer than 200', async () => {
      expect((await get('')).body).toMatchObject({ skip: 0, limit: 50 });
      for (const limit of [
        '200',
        '201',
        String(2 ** 31 + 1),
        '9'.repeat(15),
        '9'.repeat(16),
        '9'.repeat(400),
      ]) {
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
      expect(reply.body.errors).toMatchObject([{ path: name, rule: expect.any(String) }]);
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
        expect(reply.body.errors).toMatchObject([{ path, rule: expect.any(String) }]);
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
        is_contested: false,
      });
    });
  });
});
