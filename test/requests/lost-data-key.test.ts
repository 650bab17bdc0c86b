import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { codeOf, setUpTotp, strongSettings } from '../support/strong.ts';

// The repair of a lost data encryption key, as in docs/repairs.md.

let app: App;
let member: Member;
let secret: string;
let recoveryCodes: string[];
beforeAll(async () => {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'lost-key-'));
  const databaseUrl = `sqlite+aiosqlite:///${join(folder, 'svc.db')}`;
  const before = await startApp({ databaseUrl, settings: strongSettings });
  member = await signUp(before);
  const added = await setUpTotp(before, member);
  secret = added.secret;
  recoveryCodes = added.recoveryCodes;
  await before.close();
  const dataEncryptionKey = `${'B'.repeat(42)}A`;
  app = await startApp({ databaseUrl, settings: { ...strongSettings, dataEncryptionKey } });
  app.clock.advance(60_000);
});
afterAll(() => app?.close());

async function stepBy(method: string, code: string) {
  const { email, password } = member;
  const { body } = await app.rest('POST', '/login', { email, password });
  const { mfa_pending_token } = body;
  return app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, method, code });
}

test('a code of an app answers 500, and the log says which setting is missing', async () => {
  const answer = await stepBy('totp', codeOf(app, secret));
  expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
  const record = app.logs.find(({ message }) => message === 'unexpected error');
  const err = { message: expect.stringContaining('data_encryption_key_previous') };
  expect(record?.fields).toMatchObject({ err });
});

test('a recovery code lets its owner in, who removes the app and sets it up again', async () => {
  const { status, body } = await stepBy('recovery_code', recoveryCodes[0]!);
  expect(status).toBe(200);
  const session = { token: body.access_token as string };
  const list = await app.rest('GET', '/authenticators', undefined, session);
  const removed = await app.rest('DELETE', `/authenticators/${list.body.items[0].id}`, undefined, session);
  expect(removed.status).toBe(200);
  const fresh = await setUpTotp(app, session);
  app.clock.advance(60_000);
  expect((await stepBy('totp', codeOf(app, fresh.secret))).status).toBe(200);
});
