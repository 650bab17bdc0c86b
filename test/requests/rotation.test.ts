import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type App, logIn, type Member, signUp, startApp, TestClock, tokenOf } from '../support/app.ts';
import { codeIn } from '../support/people.ts';

const former = 'the former signing secret, of enough characters';
const fresh = 'the fresh signing secret, of enough characters';
const phone = '+4915112345678';
const clock = new TestClock();

let databaseUrl: string;
let before: App;
let member: Member;
const apps: App[] = [];

/** An instance on the one database, as it is after a step of the rotation. */
async function start(jwtSecret: string, jwtSecretPrevious?: string): Promise<App> {
  const app = await startApp({
    databaseUrl,
    clock,
    settings: { jwtSecret, jwtSecretPrevious, enableSms2fa: true },
  });
  apps.push(app);
  return app;
}

beforeAll(async () => {
  databaseUrl = `sqlite+aiosqlite:///${await mkdtemp(join(inject('temporaryFolder'), 'rotation-'))}/svc.db`;
  before = await start(former);
  member = await signUp(before);
});
afterAll(() => Promise.all(apps.map(app => app.close())));

const me = async (app: App, token: string) => (await app.rest('GET', '/me', undefined, { token })).status;

test('sessions, links and texted codes from before a change of the secret are good after it', async () => {
  const { email, password, token } = member;
  const started = await before.rest(
    'POST',
    '/phone/start',
    { phone_number: phone, current_password: password },
    { token },
  );
  const setup = { pending_token: started.body.pending_token, code: codeIn(await before.nextText(phone)) };

  const after = await start(fresh, former);
  expect(await me(after, token)).toBe(200);
  expect((await after.rest('POST', '/phone/confirm', setup, { token })).status).toBe(200);

  const challenge = await before.rest('POST', '/login', { email, password });
  const code = codeIn(await before.nextText(phone));
  const { mfa_pending_token } = challenge.body;
  expect((await after.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code })).status).toBe(200);

  await before.rest('POST', '/forgot-password', { email });
  const reset = tokenOf(await before.nextMail(email));
  const new_password = 'a password of afterwards';
  expect((await after.rest('POST', '/reset-password', { token: reset, new_password })).status).toBe(200);
});

test('nothing is signed with the former secret any more, and without it nothing of it counts', async () => {
  // An attacker has the former secret, and the operator has left it out.
  const [after, without] = [await start(fresh, former), await start(fresh)];
  const old = await signUp(before);
  expect(await me(after, old.token)).toBe(200);
  expect(await me(without, old.token)).toBe(401);
  const token = await logIn(after, old);
  expect(await me(without, token)).toBe(200);
});

test('instances restart one by one: those that do not sign with the fresh secret yet accept its tokens already', async () => {
  const [not, yet] = [await start(former, fresh), await start(fresh, former)];
  const { token, ...who } = await signUp(not);
  expect(await me(yet, token)).toBe(200);
  expect(await me(not, await logIn(yet, who))).toBe(200);
});
