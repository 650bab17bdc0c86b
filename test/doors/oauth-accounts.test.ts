import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { signUp, tokenOf } from '../support/app.ts';
import type { Backend } from '../support/backends.ts';
import { addressOf, baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { newSubject } from '../support/people.ts';
import { codeTo, countUsers, failed, heard, identitiesOf, openSite, type Site } from './provider-site.ts';

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());
const open = (settings?: ConfigInput, backend?: Backend) => openSite(oidc, settings, backend);

describe('an address that an account here has', () => {
  const sites: Site[] = [];
  afterAll(() => Promise.all(sites.map(site => site.app.close())));

  async function openWith(settings: ConfigInput): Promise<Site> {
    const site = await open(settings);
    sites.push(site);
    return site;
  }

  /** An account of the address that this login claims. */
  async function owned(site: Site) {
    const login = newSubject();
    return { login, member: await signUp(site.app, addressOf(login)) };
  }

  test('is refused unless somebody says otherwise', async () => {
    const site = await openWith({});
    const { login, member } = await owned(site);
    expect((await site.signIn(login)).href).toBe(failed('login', 'email_in_use').href);
    expect(await identitiesOf(site, member.id)).toEqual([]);
  });

  test('is linked where that is the policy, and the provider says by a boolean that it is verified', async () => {
    // An account at the provider claims somebody else's address, which the provider never checked.
    const site = await openWith({ oauth: { existingEmailPolicy: 'auto_link_verified' } });
    const { login, member } = await owned(site);
    const email = addressOf(login);
    for (const claims of [{}, { email_verified: false }, { email_verified: 'true' }, { email_verified: 1 }]) {
      oidc.claim(login, { email, ...claims });
      expect((await site.signIn(login)).href).toBe(failed('login', 'email_in_use').href);
    }
    expect(await identitiesOf(site, member.id)).toEqual([]);
    oidc.claim(login, { email: email.toUpperCase(), email_verified: true });
    const session = await site.session(login);
    expect(session.was_new_account).toBe(false);
    expect((await site.me(session.access_token)).body.id).toBe(member.id);
    expect((await site.app.nextMail(email)).text).toContain('oogle');
    const second = newSubject();
    oidc.claim(second, { email, email_verified: true });
    expect((await site.signIn(second)).href).toBe(failed('login', 'already_linked').href);
  });

  test('is not linked to an account with an unverified address', async () => {
    // Somebody registers with the address of another person and waits until its owner signs in with the provider.
    const site = await openWith({
      requireVerification: false,
      oauth: { existingEmailPolicy: 'auto_link_verified' },
    });
    const login = newSubject();
    const [email, password] = [addressOf(login), 'the password of a stranger'];
    const { body } = await site.app.rest('POST', '/register', { email, password });
    expect(body.is_verified).toBe(false);
    expect((await site.signIn(login)).href).toBe(failed('login', 'email_in_use').href);
    expect(await identitiesOf(site, body.id)).toEqual([]);
  });

  test('stays with its account, and a separate one is made, where that is the policy', async () => {
    const site = await openWith({ oauth: { existingEmailPolicy: 'create_new' } });
    const { login, member } = await owned(site);
    const session = await site.session(login);
    expect(session.was_new_account).toBe(true);
    const user = (await site.me(session.access_token)).body;
    expect(user.id).not.toBe(member.id);
    expect(user.email).toMatch(/@oauth\.invalid$/);
    expect((await site.session(login)).was_new_account).toBe(false);
    expect(await identitiesOf(site, member.id)).toEqual([]);
  });
});

describe('a new account from outside', () => {
  test('needs an address that the provider calls verified while verification is required', async () => {
    const site = await open();
    const login = newSubject();
    const email = addressOf(login);
    for (const email_verified of [undefined, false, 'true', 1, null]) {
      oidc.claim(login, { email, email_verified });
      expect((await site.signIn(login)).href).toBe(failed('login', 'email_not_verified').href);
    }
    for (const email of [
      undefined,
      null,
      7,
      'no address',
      'a@oauth.invalid',
      `${'a'.repeat(250)}@b.example`,
    ]) {
      oidc.claim(login, { email, email_verified: true });
      expect((await site.signIn(login)).href, String(email)).toBe(failed('login', 'email_missing').href);
    }
    expect(await countUsers(site)).toBe(0);
    await site.app.close();
  });

  test('is as verified as the provider says where verification is not required', async () => {
    const site = await open({ requireVerification: false });
    for (const [email_verified, expected] of [
      [true, true],
      [false, false],
      ['true', false],
      [undefined, false],
    ] as const) {
      const login = newSubject();
      oidc.claim(login, { email: addressOf(login), email_verified });
      const { access_token } = await site.session(login);
      expect((await site.me(access_token)).body.is_verified).toBe(expected);
    }
    await site.app.close();
  });

  test('is not made while registration is closed', async () => {
    const site = await open({ allowRegistration: false });
    expect((await site.signIn(newSubject())).href).toBe(failed('login', 'registration_closed').href);
    expect(await countUsers(site)).toBe(0);
    await site.app.close();
  });

  test('drops the pending registration of its address, whose password is a stranger’s', async () => {
    // Somebody registers with the address of another person, who then signs in with the provider and gets the old mail.
    const site = await open();
    const login = newSubject();
    const [email, password] = [addressOf(login), 'the password of a stranger'];
    await site.app.rest('POST', '/register', { email, password });
    const token = tokenOf(await site.app.nextMail(email));
    const { access_token } = await site.session(login);
    expect((await site.app.rest('POST', '/verify', { token })).status).toBe(400);
    expect((await site.app.rest('POST', '/login', { email, password })).status).toBe(401);
    expect((await site.me(access_token)).status).toBe(200);
    expect(await site.app.gatehouse.repositories.pending.find(email)).toBeNull();
    await site.app.close();
  });
});

describe('the second step after external sign-in', () => {
  const phoneNumber = '+4915112345678';

  /** A person of the provider whose account has a second factor. */
  async function withPhone(site: Site): Promise<string> {
    const login = newSubject();
    const { access_token } = await site.session(login);
    const { id } = (await site.me(access_token)).body;
    await site.app.gatehouse.repositories.users.change(id, { set: { phoneNumber, isMfaEnabled: true } });
    return login;
  }

  // Shows asvs/6.3.4.
  test('is due, and the code alone gives the session', async () => {
    // A stolen account at the provider meets the second factor here.
    const site = await open();
    const login = await withPhone(site);
    const events = heard(site, 'user_logged_in', 'mfa_login_started');
    const pending = await site.session(login);
    expect(pending).toEqual({
      status: 'mfa_required',
      mfa_pending_token: expect.any(String),
      expires_in: expect.any(Number),
      delivery: 'sms',
      methods: ['sms'],
      redirect_to: `${baseUrl}/account/me`,
      was_new_account: false,
    });
    expect(events).toEqual(['mfa_login_started']);
    expect((await site.me(pending.mfa_pending_token)).status).toBe(401);
    const code = await codeTo(site, phoneNumber);
    const { mfa_pending_token } = pending;
    const confirmed = await site.app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    expect((await site.me(confirmed.body.access_token)).status).toBe(200);
    expect(events).toEqual(['mfa_login_started', 'user_logged_in']);
    await site.app.close();
  });

  test('a stolen pending token is worth nothing without the code', async () => {
    // A stolen account at the provider, or a page that reads along, gives the token of the second step alone.
    const site = await open();
    const { mfa_pending_token } = await site.session(await withPhone(site));
    const code = await codeTo(site, phoneNumber);
    const second = (code: string) => site.app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code });
    for (const path of ['/me', '/oauth/providers', '/admin/stats']) {
      expect((await site.app.rest('GET', path, undefined, { token: mfa_pending_token })).status).toBe(401);
    }
    const link = site.app.rest('POST', '/oauth/google/link/start', {}, { token: mfa_pending_token });
    expect((await link).status).toBe(401);
    const exchange = await site.app.rest('POST', '/oauth/exchange', { id: mfa_pending_token });
    expect([404, 422]).toContain(exchange.status);
    const wrong = code === '111111' ? '222222' : '111111';
    for (const expected of [...Array(4).fill('mfa_code_wrong'), 'LOCKED', 'mfa_code_missing']) {
      expect((await second(wrong)).body.code).toBe(expected);
    }
    expect((await second(code)).body.code).toBe('mfa_code_missing');
    await site.app.close();
  });

  test('is left out where the configuration says so', async () => {
    const site = await open({ oauth: { enforceMfa: false } });
    const { access_token } = await site.session(await withPhone(site));
    expect((await site.me(access_token)).status).toBe(200);
    expect(site.app.texts).toEqual([]);
    await site.app.close();
  });
});

test('an account that comes from outside has no own fields and no roles, whatever is required', async () => {
  const site = await open({ userFields: { company: { required: true } }, roles: ['editor'] });
  const registered: object[] = [];
  site.app.gatehouse.on('user_registered', ({ user }) => void registered.push(user));
  const { access_token } = await site.session(newSubject());
  const empty = { fields: { company: null }, roles: [] };
  expect((await site.me(access_token)).body).toMatchObject(empty);
  expect(registered).toMatchObject([empty]);
  const changed = await site.app.rest('PATCH', '/me', { full_name: 'Ada' }, { token: access_token });
  expect(changed).toMatchObject({ status: 200, body: { full_name: 'Ada', ...empty } });
  await site.app.close();
});
