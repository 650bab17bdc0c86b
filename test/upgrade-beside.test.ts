import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fromBase32, hotp, stepAt } from '../src/features/authenticator-apps/codes.ts';
import { emptyFolder, jwtSecret, serve } from './cli/support.ts';
import { password } from './support/app.ts';
import { describeEachBackend } from './support/backends.ts';
import { built } from './support/built.ts';
import { hasFormerCode, unpackFormer } from './support/former-code.ts';

// An upgrade as docs/operations.md has it: the version before this one has made the database, and goes on serving when this
// one has migrated it.

const run = promisify(execFile);
const address = (name: string) => `${name}@example.org`;

type Server = Awaited<ReturnType<typeof start>>;

/** Serves by a version, until the endings are called. */
async function start(program: string, env: Record<string, string>, endings: (() => unknown)[]) {
  const { api, written } = await serve([], { program, env, until: end => endings.push(end) });
  const post = (path: string, body: object, token?: string) => call('POST', path, body, token);
  async function call(method: string, path: string, body?: object, token?: string) {
    const response = await fetch(api + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  }
  const texts = new Map<string, number>();
  return {
    call,
    post,
    logIn: async (name: string) => (await post('/login', { email: address(name), password })).body,
    me: async (token: string) => (await call('GET', '/me', undefined, token)).status,
    second: (mfa_pending_token: string, code: string, method?: string) =>
      post('/login/mfa-confirm', { mfa_pending_token, code, ...(method && { method }) }),
    /** The code of the next text message that this process sends to a number. */
    async codeTo(phone: string): Promise<string> {
      const count = (texts.get(phone) ?? 0) + 1;
      texts.set(phone, count);
      const found = await written(
        new RegExp(`(?:text message to \\${phone}: [^\\n]*(\\d{6})\\n[\\s\\S]*?){${count}}`),
      );
      return found[1]!;
    },
  };
}

/** Sets a phone up as the second step. */
async function addPhone(server: Server, name: string, phone_number: string): Promise<void> {
  const { access_token } = await server.logIn(name);
  const begun = await server.post('/phone/start', { phone_number, current_password: password }, access_token);
  expect(begun.status).toBe(202);
  const { pending_token } = begun.body;
  const code = await server.codeTo(phone_number);
  expect((await server.post('/phone/confirm', { pending_token, code }, access_token)).status).toBe(200);
}

/** Sets an app up. Returns its next code. */
async function addApp(server: Server, name: string): Promise<() => string> {
  const { access_token } = await server.logIn(name);
  const { id, secret } = (await server.post('/totp/start', {}, access_token)).body;
  let step = stepAt(new Date()) - 1;
  const next = () => hotp(fromBase32(secret), step++);
  expect((await server.post('/totp/confirm', { id, code: next() }, access_token)).status).toBe(200);
  return next;
}

describe.skipIf(!hasFormerCode)('the version before this one, beside it', () => {
  let former: string;
  beforeAll(async () => {
    former = await unpackFormer(join(inject('temporaryFolder'), 'former-code'));
  });

  describeEachBackend(
    'on a database that this one has migrated',
    backend => {
      const phones = { phil: '+4915100000011', texted: '+4915100000012' };
      const endings: (() => unknown)[] = [];
      let before: Server;
      let after: Server;
      /** Imports, by the former version, people with unconfirmed phones. */
      let importPeople: (people: { name: string; phone_number?: string }[]) => Promise<void>;

      /** The former version has people, and serves; two of them confirm a phone; this one migrates, and serves, too. */
      beforeAll(async () => {
        const { url, drop } = await backend.createDatabase();
        endings.push(drop);
        const env = {
          ...{ SVC_DATABASE_URL: url, SVC_JWT_SECRET: jwtSecret, SVC_REQUIRE_VERIFICATION: 'false' },
          ...{ SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43), SVC_ENABLE_TOTP: 'true', SVC_ENABLE_SMS_2FA: 'true' },
          NODE_COMPILE_CACHE: join(inject('temporaryFolder'), 'compile-cache'),
          ...{ SVC_ENABLE_SESSION_LIST: 'true', SVC_SMS__LOG_BODIES: 'true' },
        };
        const cwd = await emptyFolder();
        const svc = (program: string, ...args: string[]) =>
          run(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
        importPeople = async people => {
          const hashed_password = await bcrypt.hash(password, 4);
          const lines = people.map(({ name, phone_number }) =>
            JSON.stringify({ email: address(name), hashed_password, is_verified: true, phone_number }),
          );
          await writeFile(join(cwd, 'users.jsonl'), lines.join('\n'));
          await svc(former, 'user', 'import', 'users.jsonl');
        };
        before = await start(former, env, endings);
        await importPeople(['ada', 'phil', 'new', 'texted'].map(name => ({ name })));
        for (const [name, phone] of Object.entries(phones)) await addPhone(before, name, phone);
        const present = await built('svc');
        await svc(present, 'migrate');
        after = await start(present, env, endings);
      });
      afterAll(async () => {
        for (const end of endings.toReversed()) await end();
      });

      test('sessions and sign-ins of the one are good at the other', async () => {
        const pairs = [
          [before, after],
          [after, before],
        ] as const;
        for (const [here, there] of pairs) {
          const { access_token } = await here.logIn('ada');
          expect([await here.me(access_token), await there.me(access_token)]).toEqual([200, 200]);
          expect((await there.post('/logout', {}, access_token)).status).toBe(200);
          expect([await here.me(access_token), await there.me(access_token)]).toEqual([401, 401]);

          const begun = await here.logIn('phil');
          expect(begun).toMatchObject({ status: 'mfa_required', methods: ['sms'] });
          const code = await here.codeTo(phones.phil);
          const ended = await there.second(begun.mfa_pending_token, code);
          expect([ended.status, await here.me(ended.body.access_token)]).toEqual([200, 200]);
        }
      });

      test('a phone is a second step of the new one only where it was confirmed, whatever the former writes', async () => {
        const [late, later] = ['+4915100000013', '+4915100000014'];
        // Confirmed at the former one afterwards: it is due at both, so that a password alone opens nothing.
        await addPhone(before, 'new', late);
        expect(await after.logIn('new')).toMatchObject({ status: 'mfa_required', methods: ['sms'] });

        // Never confirmed, and taken for a factor by the former one when an app is added there.
        await importPeople([{ name: 'imported', phone_number: later }]);
        const next = await addApp(before, 'imported');
        const begun = await before.logIn('imported');
        expect(begun.methods).toEqual(['totp', 'sms', 'recovery_code']);
        await before.post('/login/mfa-send', { mfa_pending_token: begun.mfa_pending_token });
        const code = await before.codeTo(later);
        expect((await after.second(begun.mfa_pending_token, code, 'sms')).body.code).toBe('mfa_code_missing');
        const { mfa_pending_token, methods } = await after.logIn('imported');
        expect(methods).toEqual(['totp', 'recovery_code']);
        expect((await after.post('/login/mfa-send', { mfa_pending_token })).status).toBe(404);
        expect((await after.second(mfa_pending_token, code, 'sms')).body.code).toBe('mfa_code_missing');

        // Later writes of the former version about that account change nothing.
        const { access_token } = (await before.second(begun.mfa_pending_token, next())).body;
        expect((await before.call('PATCH', '/me', { full_name: 'Ada' }, access_token)).status).toBe(200);
        expect((await after.logIn('imported')).methods).toEqual(['totp', 'recovery_code']);
        expect((await after.logIn('texted')).methods).toEqual(['sms']);
      });
    },
    { only: ['sqlite', 'postgresql', 'mongodb'] },
  );
});
