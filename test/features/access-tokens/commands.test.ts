import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { type Assembled, assemble } from '../../../src/gatehouse.ts';
import { emptyFolder, jwtSecret, svc } from '../../cli/support.ts';
import { silent } from '../../support/embedded.ts';
import { listen } from '../../support/listening.ts';

// The commands for tokens (CONTRACT §18): `svc token inspect`, `svc init`, and what `svc validate` finds.

const resource = 'https://api.example.org';
const scopes = { 'orders:read': 'See your orders' };
let env: Record<string, string>;
let gatehouse: Assembled;
let close: () => Promise<void>;

beforeAll(async () => {
  const site = await listen((req, res) => void gatehouse.handler(req, res));
  const baseUrl = `http://localhost:${site.port}`;
  env = {
    SVC_JWT_SECRET: jwtSecret,
    SVC_DATABASE_URL: `sqlite:///${join(await emptyFolder(), 'svc.db')}`,
    SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43),
    SVC_BASE_URL: baseUrl,
    SVC_ENABLE_TOKENS: 'true',
    SVC_RESOURCES__ORDERS__IDENTIFIER: resource,
    SVC_RESOURCES__ORDERS__SCOPES: JSON.stringify(scopes),
  };
  const { config } = loadConfig({ env, cwd: await emptyFolder() });
  gatehouse = await assemble(config, { logger: silent });
  await gatehouse.installSchema();
  close = async () => {
    await site.close();
    await gatehouse.close();
  };
});
afterAll(() => close?.());

async function issue() {
  const email = `${crypto.randomUUID()}@example.org`;
  const user = await gatehouse.users.create({ email, password: 'correct horse battery', isVerified: true });
  const { accessToken } = await gatehouse.tokens.issue(user.id, { resource: 'orders' });
  return { user, accessToken };
}

/** Runs `svc token inspect` with a text on its standard input. */
async function inspect(text: string, ...options: string[]) {
  const input = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([text]) });
  try {
    return await svc(['token', 'inspect', ...options], { env });
  } finally {
    Object.defineProperty(process, 'stdin', input);
  }
}

describe('svc token inspect', () => {
  test('shows the parts of a token, the key that signed, and that it is active', async () => {
    const { user, accessToken } = await issue();
    const { code, stdout } = await inspect(`${accessToken}\n`, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'access_token',
      header: { alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) },
      claims: expect.objectContaining({ sub: user.id, client_id: 'host', scope: 'orders:read' }),
      key: { kid: expect.any(String), algorithm: 'ES256', state: 'current', since: expect.any(String) },
      active: true,
    });
    const plain = await inspect(accessToken);
    expect(plain.stdout).toMatch(/^kind: access_token\nheader: .*\nclaims: .*\nkey: kid .*\nactive: yes\n$/);
    // No more of the token than its parts.
    for (const part of accessToken.split('.')) expect(plain.stdout + stdout).not.toContain(part);
  });

  test('ends with 1 for a token that was ended, and for one that another has signed', async () => {
    const { user, accessToken } = await issue();
    await gatehouse.users.endSessions(user.id);
    const ended = await inspect(accessToken, '--json');
    expect([ended.code, JSON.parse(ended.stdout).active]).toEqual([1, false]);
    const [header = '', payload] = accessToken.split('.');
    const other = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid: 'other' }),
    ).toString('base64url');
    const forged = await inspect(`${other}.${payload}.AAAA`, '--json');
    expect([forged.code, JSON.parse(forged.stdout)]).toMatchObject([1, { active: false, key: null }]);
  });

  test.each(['', 'x', 'two words', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.AAAA'])(
    'tells nothing of %j',
    async text => {
      const { code, stdout, stderr } = await inspect(text);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/no token|neither/);
    },
  );
});

/** Returns the environment of a new database, with a schema and no keys. */
async function migrated(): Promise<Record<string, string>> {
  const other = { ...env, SVC_DATABASE_URL: `sqlite:///${join(await emptyFolder(), 'other.db')}` };
  await svc(['migrate'], { env: other });
  return other;
}

/** Makes the keys, as a start does. */
async function start(other: Record<string, string>) {
  const { config } = loadConfig({ env: other, cwd: await emptyFolder() });
  const started = await assemble(config, { logger: silent });
  await started.installSchema();
  await started.close();
}

describe('svc keys', () => {
  test.each(['list', 'rotate'])('%s says that there are no keys before the first start', async command => {
    const { code, stdout, stderr } = await svc(['keys', command], { env: await migrated() });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('There are no keys yet: the first start makes them.');
  });

  test('rotate says when a key that is published for too short a time can sign, and what has it sign now', async () => {
    const other = await migrated();
    await start(other);
    const { code, stderr } = await svc(['keys', 'rotate'], { env: other });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /not been published for long enough.* It can sign in 20 minutes, or now with --force\.$/m,
    );
    const forced = await svc(['keys', 'rotate', '--force'], { env: other });
    expect([forced.code, forced.stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: services that do not know the new keys yet refuse their tokens\.$/m),
    ]);
  });

  test('a rotation of no keys leaves no record', async () => {
    const other = { ...(await migrated()), SVC_AUDIT_STORE: 'database' };
    expect(await svc(['keys', 'rotate'], { env: other })).toMatchObject({ code: 0 });
    const { stdout } = await svc(['audit', '--operation', 'rotateSigningKeys', '--json'], { env: other });
    expect(stdout).toBe('');
  });

  test('rotate takes an algorithm of the configuration alone', async () => {
    const { code, stderr } = await svc(['keys', 'rotate', '--algorithm', 'EdDSA', '--force'], { env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^--algorithm EdDSA: Invalid option: expected one of "ES256"\.$/m),
    ]);
  });

  test('remove says that there is no such key, and the record of it that it was refused', async () => {
    const other = { ...(await migrated()), SVC_AUDIT_STORE: 'database' };
    const { code, stderr } = await svc(['keys', 'remove', 'unknown', '--yes'], { env: other });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/There is no key unknown\.$/m)]);
    const { stdout } = await svc(['audit', '--operation', 'removeSigningKey', '--json'], { env: other });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'refused', code: 'not_found' });
  });
});

describe('svc validate', () => {
  const lines = ({ stdout }: { stdout: string }) =>
    stdout.split('\n').filter(line => /tokens|resources/.test(line));

  test('finds the documents of this configuration, and what cannot ask about tokens', async () => {
    const found = lines(await svc(['validate'], { env }));
    expect(found.join('\n')).toMatch(/jwks\.json has the 2 keys of this database/);
    expect(found.join('\n')).toMatch(/openid-configuration is that of this configuration/);
    expect(found.join('\n')).toMatch(/orders has no secret/);
    const named = await svc(['validate'], { env: { ...env, SVC_RESOURCES__ORDERS__SECRET: 's'.repeat(32) } });
    expect(lines(named).join('\n')).toMatch(/orders may ask about tokens/);
  });

  test('notices another service at the issuer, and one that does not answer', async () => {
    const other = await migrated();
    await start(other);
    expect((await svc(['validate'], { env: other })).stdout).toMatch(/has not the keys of this database/);
    const away = { ...env, SVC_BASE_URL: 'http://localhost:1' };
    expect(lines(await svc(['validate'], { env: away })).join('\n')).toMatch(/can't be asked for keys/);
  });
});

test('a data encryption key that does not open the signing keys is told by each command, with what to do', async () => {
  const other = { ...env, SVC_DATA_ENCRYPTION_KEY: 'B'.repeat(43) };
  await svc(['keys', 'list'], { env });
  const remedy = /^The signing keys of ES256 cannot be decrypted: set .*svc keys reset/m;
  expect((await svc(['validate'], { env: other })).stdout).toMatch(/fail.*tokens.*cannot be decrypted/);
  for (const args of [
    ['keys', 'list'],
    ['keys', 'rotate', '--force'],
  ]) {
    const { code, stderr } = await svc(args, { env: other });
    expect([code, stderr]).toEqual([1, expect.stringMatching(remedy)]);
    expect(stderr).not.toMatch(/Unexpected error/);
  }
  // Nothing was written with the other key.
  expect(await svc(['keys', 'list'], { env })).toMatchObject({ code: 0 });
});

test('svc init describes an API, as an example that is no setting', async () => {
  const { readFile } = await import('node:fs/promises');
  const cwd = await emptyFolder();
  expect((await svc(['init', '--yes'], { cwd })).code).toBe(0);
  const text = await readFile(join(cwd, 'svc.toml'), 'utf8');
  expect(text).toMatch(/^enable_tokens = false$/m);
  expect(text).toMatch(/^# \[resources\.example\]\n# identifier = ".*"\n# scopes = \{ .* \}$/m);
  const taken = text
    .replace(/^# (\[resources|identifier|scopes)/gm, '$1')
    .replace('enable_tokens = false', 'enable_tokens = true');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(join(cwd, 'svc.toml'), taken);
  const { config } = loadConfig({ env: {}, cwd });
  expect(Object.keys(config.resources.example?.scopes ?? {})).toEqual(['example:read', 'example:write']);
});
