import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { holdHash, stopHash } from '../../../src/crypto/stopped-password.ts';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, dataEncryptionKey, signUp, startApp } from '../../support/app.ts';
import { newAddress, newSubject } from '../../support/people.ts';

const tenant = '11111111-2222-3333-4444-555555555555';
const ofTenant = `https://login.microsoftonline.com/${tenant}/v2.0`;
const client = { clientId: 'client', clientSecret: 'secret' };
const providers = (issuer: string): ConfigInput => ({
  oauth: { providers: { acme: { issuer, ...client }, microsoft: { kind: 'microsoft', ...client } } },
});

interface Line {
  email: string;
  identities?: { provider: string; subject: string; issuer?: string }[];
}

const started: App[] = [];
afterEach(async () => {
  for (const app of started.splice(0)) await app.close();
});
async function start(settings: ConfigInput): Promise<App> {
  const app = await startApp({ settings });
  started.push(app);
  return app;
}

/** Somebody with an identity as it is stored. */
async function linked(app: App, provider: string, issuer: string) {
  const { id, email } = await signUp(app);
  const subject = newSubject();
  const now = app.clock.now();
  const row = { id: randomUUID(), provider, issuer, subjectId: subject, userId: id, email: null };
  await app.gatehouse.repositories.oauth_identities.add({ ...row, linkedAt: now, lastUsedAt: null });
  return { email, subject };
}

async function exported(app: App, email: string, withHashes = false): Promise<Line> {
  const lines: Line[] = [];
  const pages = await (app.gatehouse as Assembled).features.importExport!.operator.exportUsers({
    withHashes,
  });
  for await (const page of pages) lines.push(...page.map(line => JSON.parse(line) as Line));
  return lines.find(line => line.email === email)!;
}

async function importLine(app: App, line: object) {
  const errors: string[] = [];
  async function* lines() {
    yield { number: 1, text: JSON.stringify(line) };
  }
  const onRefused = (_: number, message: string) => void errors.push(message);
  const { created } = await (app.gatehouse as Assembled).features.importExport!.operator.importUsers({
    lines: lines(),
    onRefused,
  });
  return { created, errors };
}

describe('an identity that is exported', () => {
  test('names its provider alone where that says which issuer it has', async () => {
    const app = await start(providers('https://id.acme.example'));
    // The last is of a version that stored no issuers: the name says it.
    for (const [provider, issuer] of [
      ['google', 'https://accounts.google.com'],
      ['acme', 'https://id.acme.example'],
      ['google', ''],
    ] as const) {
      const { email, subject } = await linked(app, provider, issuer);
      expect((await exported(app, email)).identities).toEqual([{ provider, subject }]);
    }
  });

  // Otherwise the person with this subject at the present issuer would get the account.
  test('of an issuer that the provider had before is none of the present one, and is refused there', async () => {
    const app = await start(providers('https://id.acme.example'));
    const former = 'https://former.example';
    const { email, subject } = await linked(app, 'acme', former);
    const line = await exported(app, email);
    expect(line.identities).toEqual([{ provider: 'acme', issuer: former, subject }]);

    const present = await start(providers('https://id.acme.example'));
    expect(await importLine(present, line)).toEqual({
      created: 0,
      errors: [expect.stringContaining('issuer that is not one of their provider')],
    });
    const same = await start(providers(former));
    expect(await importLine(same, line)).toEqual({ created: 1, errors: [] });
    const { oauth_identities } = same.gatehouse.repositories;
    expect(await oauth_identities.findBySubject({ name: 'acme', issuer: former }, subject)).not.toBeNull();
  });

  test('has the name that its provider has now', async () => {
    const app = await start(providers('https://id.acme.example'));
    const { email, subject } = await linked(app, 'acme-before', 'https://id.acme.example');
    expect((await exported(app, email)).identities).toEqual([{ provider: 'acme', subject }]);
  });

  test('of one of many tenants moves with its tenant', async () => {
    const app = await start(providers('https://id.acme.example'));
    const { email, subject } = await linked(app, 'microsoft', ofTenant);
    const line = await exported(app, email);
    expect(line.identities).toEqual([{ provider: 'microsoft', issuer: ofTenant, subject }]);
    const other = await start(providers('https://id.acme.example'));
    expect(await importLine(other, line)).toEqual({ created: 1, errors: [] });
    expect((await exported(other, email)).identities).toEqual(line.identities);
  });

  test.each([
    undefined,
    'https://login.microsoftonline.com/common/v2.0',
    `https://evil.example/${tenant}/v2.0`,
  ])('is refused by an import where the tenant is %s', async issuer => {
    const app = await start(providers('https://id.acme.example'));
    const identities = [{ provider: 'microsoft', subject: newSubject(), ...(issuer && { issuer }) }];
    const { created, errors } = await importLine(app, { email: newAddress(), identities });
    expect([created, errors]).toEqual([0, [expect.stringMatching(/^identities name/)]]);
  });
});

test('a password that was stopped is not exported', async () => {
  const app = await start({ dataEncryptionKey });
  const { users } = app.gatehouse.repositories;
  for (const stop of [holdHash, (hash: string | null) => stopHash(hash)]) {
    const { id, email } = await signUp(app);
    expect(await exported(app, email, true)).toHaveProperty('hashed_password');
    const { hashedPassword } = (await users.find(id))!;
    await users.change(id, { set: { hashedPassword: stop(hashedPassword) } });
    expect(await exported(app, email, true)).not.toHaveProperty('hashed_password');
  }
});
