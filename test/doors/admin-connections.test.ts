import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, password } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { startAdministration } from '../support/people.ts';
import { addUsers, type ListName } from './administration.ts';

describeEachDriver('administration', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend));
  });
  afterAll(() => app?.close());
  const asRoot = () => ({ token: root.token });
  const users = () => app.gatehouse.repositories.users;

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
      const inTime = Buffer.from(") or 1 = 1 or ('' = ' 1970-01-01T00:00:00.000Z").toString('base64url');
      for (const after of [everything, inTime]) {
        for (const search of ['?', '??', `${tag}?`, '\\?', `? ? ?`]) {
          const { data, errors } = await ask('users', { first: 5, after, search });
          expect(errors).toBeUndefined();
          expect(JSON.stringify(data.users.nodes)).not.toContain(tag);
        }
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
      ['empty', ''],
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
          errors: [{ path: 'after', message: 'is not a cursor', rule: 'cursor' }],
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
