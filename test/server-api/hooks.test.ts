import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../../src/errors.ts';
import { type App, signUp, startApp, tokenOf } from '../support/app.ts';
import { askedHost } from '../support/hooks.ts';
import { newAddress } from '../support/people.ts';

// The hooks of a host (CONTRACT §15.4), where its own program acts by the server API (§15.3).

const host = askedHost();
let app: App;
beforeAll(async () => {
  app = await startApp({ hooks: host.hooks });
});
afterEach(() => host.reset());
afterAll(() => app?.close());

const refuse = () =>
  host.answer(() => {
    throw new Refusal('Not today.');
  });
const refused = { code: 'refused_by_host', message: 'Not today.' };

test.each([false, true])('a session that the host issues is asked about (mfa: %s)', async mfa => {
  const { id } = await signUp(app);
  host.reset();
  refuse();
  await expect(app.gatehouse.sessions.issue(id, { method: 'saml', mfa })).rejects.toMatchObject(refused);
  expect(host.asked).toMatchObject([['beforeSignIn', { user: { id }, method: 'saml' }]]);
  host.reset();
  expect(await app.gatehouse.sessions.issue(id, { method: 'saml', mfa })).toHaveProperty('accessToken');
});

test('a deletion by the host is asked about, and changes nothing when it is refused', async () => {
  const { id, token } = await signUp(app);
  host.reset();
  refuse();
  await expect(app.gatehouse.users.remove(id)).rejects.toMatchObject(refused);
  expect(host.asked).toMatchObject([['beforeDelete', { user: { id }, by: 'host' }]]);
  expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(200);
});

test('accounts that the host makes, and invitations that are accepted, are not', async () => {
  const email = newAddress();
  refuse();
  await app.gatehouse.users.create({ email, invite: true });
  const token = tokenOf(await app.nextMail(email));
  const accepted = await app.rest('POST', '/accept-invitation', { token, password: 'correct horse battery' });
  expect(accepted.status).toBe(200);
  expect(host.asked).toEqual([]);
});
