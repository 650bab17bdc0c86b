import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { type Assembled, assemble } from '../../../src/gatehouse.ts';
import { emptyFolder, jwtSecret, svc } from '../../cli/support.ts';
import { silent } from '../../support/embedded.ts';

// The commands for API keys (CONTRACT §18).

let env: Record<string, string>;
let gatehouse: Assembled;
beforeAll(async () => {
  env = {
    SVC_JWT_SECRET: jwtSecret,
    SVC_DATABASE_URL: `sqlite:///${join(await emptyFolder(), 'svc.db')}`,
    SVC_ENABLE_API_KEYS: 'true',
  };
  const { config } = loadConfig({ env, cwd: await emptyFolder() });
  gatehouse = await assemble(config, { logger: silent });
  await gatehouse.installSchema();
});
afterAll(() => gatehouse?.close());

async function person(isVerified = true) {
  const email = `${crypto.randomUUID()}@example.org`;
  const user = await gatehouse.users.create({ email, password: 'correct horse battery', isVerified });
  return { ...user, email };
}

const apiKey = (...args: string[]) => svc(['api-key', ...args], { env });
const create = (email: string, ...more: string[]) =>
  apiKey('create', '--email', email, '--name', 'Nightly report', '--scope', 'profile', ...more);

test('a key is made, listed without itself, and removed', async () => {
  const { id, email } = await person();
  const made = await create(email, '--days', '30');
  expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^svc_key_[0-9A-Za-z]{49}\n$/)]);
  const key = made.stdout.trim();
  expect(made.stderr).not.toContain(key.slice(8));
  const held = await gatehouse.apiKeys.verify(key);
  expect(held).toMatchObject({ user: { id }, apiKey: { name: 'Nightly report' }, scopes: ['profile'] });
  const keyId = held!.apiKey.id;

  const list = await apiKey('list', '--email', email);
  expect(list.stdout).toMatch(
    new RegExp(`^${keyId}  …${key.slice(-4)}  Nightly report: profile, until \\d{4}-.*\\n$`),
  );
  const { stdout } = await apiKey('list', '--email', email, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ id: keyId, name: 'Nightly report', is_expired: false });

  const other = await person();
  const foreign = await apiKey('remove', '--email', other.email, keyId);
  expect([foreign.code, foreign.stdout]).toEqual([1, '']);
  const removed = await apiKey('remove', '--email', email, keyId);
  expect([removed.code, removed.stdout]).toEqual([0, 'The API key was removed. It is refused at once.\n']);
  expect(await gatehouse.apiKeys.verify(key)).toBeNull();
  expect((await apiKey('list', '--email', email)).stdout).toBe('');
  expect((await apiKey('remove', '--email', email, keyId)).code).toBe(1);
});

test('a key is made although its notice to the owner cannot be sent', async () => {
  const { email } = await person();
  const unreachable = {
    SVC_EMAIL__BACKEND: 'smtp',
    SVC_EMAIL__SMTP_HOST: '127.0.0.1',
    SVC_EMAIL__SMTP_PORT: '1',
  };
  const args = ['--email', email, '--name', 'Nightly report', '--scope', 'profile'];
  const { code, stdout, stderr } = await svc(['api-key', 'create', ...args], {
    env: { ...env, ...unreachable },
  });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^svc_key_\w+\n$/)]);
  expect(stderr).toMatch(/^warning: The key is made, and its owner was not told\. The email could not be/m);
});

test('a key that is not there is named, and whose it would be', async () => {
  const { email } = await person();
  const { code, stderr } = await apiKey('remove', '--email', email, 'nope');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no API key nope of ${email}.\n`)]);
});

test('a command about keys records no look at the account', async () => {
  const { email } = await person();
  const { stderr } = await create(email);
  expect(stderr).toContain('"act":"createUserApiKey"');
  expect(stderr).not.toContain('"act":"user"');
});

test.each<[string, string[], RegExp]>([
  [
    'an unknown scope',
    ['--scope', 'orders:read'],
    /^--scope orders:read: must name scopes that a key may have; there are: profile\.$/m,
  ],
  ['a key without end', ['--days', '0'], /^--days 0: must be at least 1/m],
  ['a key that lives too long', ['--days', '366'], /^--days 366: must be at most 365/m],
  ['no number of days', ['--days', 'x'], /number of days/],
])('%s is refused', async (_, more, reason) => {
  const { id, email } = await person();
  const { code, stdout, stderr } = await create(email, ...more);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(reason);
  expect(await gatehouse.apiKeys.list(id)).toEqual([]);
});

test('the address must be that of an account, and verified for a new key', async () => {
  const { email } = await person(false);
  const unverified = await create(email);
  expect([unverified.code, unverified.stdout]).toEqual([1, '']);
  const nobody = await apiKey('list', '--email', 'nobody@example.org');
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringMatching(/no account/)]);
});

test('there are none while the flag is off', async () => {
  const { email } = await person();
  const { code, stderr } = await svc(['api-key', 'list', '--email', email], {
    env: { ...env, SVC_ENABLE_API_KEYS: 'false' },
  });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/enable_api_keys is off/)]);
});

describe('svc token inspect', () => {
  /** Runs it with a text on its standard input. */
  async function inspect(text: string, ...options: string[]) {
    const input = Object.getOwnPropertyDescriptor(process, 'stdin')!;
    Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([text]) });
    try {
      return await svc(['token', 'inspect', ...options], { env });
    } finally {
      Object.defineProperty(process, 'stdin', input);
    }
  }

  test('tells what is stored of a key, and whether it is active', async () => {
    const { id, email } = await person();
    const key = (await create(email)).stdout.trim();
    const [listed] = await gatehouse.apiKeys.list(id);
    const { code, stdout } = await inspect(`${key}\n`, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ kind: 'api_key', active: true },
      claims: { user_id: id, id: listed!.id, hint: key.slice(-4), scopes: ['profile'], last_used_at: null },
    });
    await gatehouse.users.disable(id);
    const refused = await inspect(key);
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/^kind: api_key\n.*\nactive: no\n$/),
    ]);
    await gatehouse.users.remove(id);
    const gone = await inspect(key, '--json');
    expect([gone.code, JSON.parse(gone.stdout)]).toEqual([1, { kind: 'api_key', claims: {}, active: false }]);
    for (const text of [stdout, refused.stdout, gone.stdout]) expect(text).not.toContain(key.slice(8, -4));
  });
});
