import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examples, installExamples, whySkipped } from '../support/installed-examples.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// A host's own GraphQL API joins Gatehouse's: examples/graphql-host, with the newest and the oldest
// `graphql` that the package accepts.

const password = 'correct horse battery';

const installed = {
  '17': await installExamples(['graphql-host']),
  '16': await installExamples(['graphql-host'], { graphql: '16.10.0' }),
};

describe.each(Object.entries(installed))('a host with graphql %s', (_version, found) => {
  describe.skipIf('reason' in found)(`and the packed package${whySkipped(found)}`, () => {
    const { folder } = found as { folder: string };
    let program: Program;
    let origin: string;
    beforeAll(async () => {
      await cp(join(examples, 'graphql-host/server.js'), join(folder, 'server.js'));
      const port = await freePort();
      origin = `http://localhost:${port}`;
      const env = {
        PORT: String(port),
        SVC_JWT_SECRET: 'a secret for this test and no other',
        SVC_DATABASE_URL: 'sqlite+aiosqlite:///:memory:',
        SVC_REQUIRE_VERIFICATION: 'false',
        SVC_LOGIN_RATE_LIMIT: '10/minute',
      };
      program = new Program(['server.js'], { cwd: folder, env });
      await program.waitFor(/listening on/);
    });
    afterAll(() => program?.kill());

    async function ask(query: string, { variables, token }: { variables?: object; token?: string } = {}) {
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ query, variables }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
      return (await response.json()) as any;
    }
    const login = `mutation($input: LoginInput!) { login(input: $input) { ... on Session { accessToken } } }`;

    test('serves one schema: people with what the host knows of them', async () => {
      const input = { email: 'ada@example.org', password };
      const register = `mutation($input: RegisterInput!) { register(input: $input) { __typename } }`;
      expect((await ask(register, { variables: { input } })).errors).toBeUndefined();
      const { data } = await ask(login, { variables: { input } });
      const token = data.login.accessToken;
      expect(await ask('{ me { email orders { item } } orders { id } }', { token })).toEqual({
        data: { me: { email: input.email, orders: [{ item: 'Lantern' }] }, orders: [{ id: '1' }] },
      });
    });

    test('passes on refusals with their codes, and its scopes are those of the session', async () => {
      const stranger = await ask('{ me { email } }');
      expect(stranger.errors).toMatchObject([{ extensions: { code: 'unauthenticated', status: 401 } }]);
      for (const token of [undefined, 'made.up.token']) {
        const { data, errors } = await ask('{ orders { id } }', { ...(token && { token }) });
        expect(data).toEqual({ orders: null });
        expect(errors).toHaveLength(1);
      }
    });

    test("passes on the client's address, so that its limits count", async () => {
      const variables = { input: { email: 'nobody@example.org', password } };
      const codes: string[] = [];
      while (codes.length < 20 && codes.at(-1) !== 'rate_limited') {
        codes.push((await ask(login, { variables })).errors[0].extensions.code);
      }
      expect(codes.at(-1)).toBe('rate_limited');
      expect(program.output).toMatch(/"reason":"rate_limited"[^\n]*"ip":"(127\.0\.0\.1|::1)"/);
    });
  });
});
