import { WebAuthnEmulator } from 'nid-webauthn-emulator';
import { fromBase32, hotp, stepAt } from '../../src/features/authenticator-apps/codes.ts';
import { type App, type Member, signUp, tokenOf } from '../support/app.ts';
import type { OperationName } from '../support/doors.ts';
import { baseUrl, type Oidc } from '../support/oidc.ts';
import { addMessage } from '../support/outbox.ts';
import { codeIn } from '../support/people.ts';
import { challenge, verifier } from './provider-site.ts';

export const owner = 'owner@example.org';

export const phone = '+4915112345678';

export const newPassword = 'battery staple horse';

/** An app with everything switched on, one ordinary account in it, and what its limiter was asked. */
export interface Site {
  app: App;
  member: Member;
  limited: string[];
  oidc: Oidc;
}

/** What a call is given. */
export interface Given {
  input?: unknown;
  token?: string;
}

export type Prepare = (site: Site) => Promise<Given> | Given;

const signedIn =
  (input?: unknown): Prepare =>
  ({ member }) => ({ input, token: member.token });

/** A call of a superuser, about the ordinary account. */
export const asAdmin =
  (input: (site: Site) => Promise<unknown> | unknown): Prepare =>
  async site => {
    const admin = await signUp(site.app, 'admin@example.org');
    await site.app.gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
    return { input: await input(site), token: admin.token };
  };

/** A call about the webhook of the app. */
const ofWebhook = { good: asAdmin(() => ({ name: 'crm' })), bad: asAdmin(() => ({ name: 'none' })) };

const aboutMember = asAdmin(({ member }) => ({ id: member.id }));

/** Registers somebody and answers the token of the mail. */
export async function pendingToken({ app }: Site, email = 'new@example.org'): Promise<string> {
  await app.rest('POST', '/register', { email, password: newPassword });
  return tokenOf(await app.nextMail(email));
}

async function startPhone({ app, member: { token, password } }: Site) {
  const input = { phone_number: phone, current_password: password };
  const { body } = await app.rest('POST', '/phone/start', input, { token });
  const code = codeIn(await app.nextText(phone));
  return { pending_token: body.pending_token as string, code };
}

async function withPhone(site: Site): Promise<void> {
  const { app, member } = site;
  await app.rest('POST', '/phone/confirm', await startPhone(site), { token: member.token });
}

async function challenged(site: Site) {
  await withPhone(site);
  const { email, password } = site.member;
  const { body } = await site.app.rest('POST', '/login', { email, password });
  const code = codeIn(await site.app.nextText(phone));
  return { mfa_pending_token: body.mfa_pending_token as string, code };
}

const post = async ({ app }: Site, path: string, body?: object, token?: string) =>
  (await app.rest('POST', path, body, { token })).body;

async function startTotp(site: Site) {
  const { id, secret } = await post(site, '/totp/start', {}, site.member.token);
  return { id: id as string, code: hotp(fromBase32(secret), stepAt(site.app.clock.now())) };
}

/** A browser with an authenticator of its own, and what it has made for a set-up that was started. */
async function startPasskey(site: Site) {
  const browser = new WebAuthnEmulator();
  const { id, options } = await post(site, '/passkeys/start', {}, site.member.token);
  return { browser, setup: { id: id as string, credential: browser.createJSON(baseUrl, options) } };
}

/** Adds a passkey to the account, and answers its id and the browser that has it. */
async function withPasskey(site: Site) {
  const { browser, setup } = await startPasskey(site);
  const { authenticator } = await post(site, '/passkeys/confirm', setup, site.member.token);
  return { browser, id: authenticator.id as string };
}

/** A second session of the member. */
async function otherSession(site: Site): Promise<string> {
  const { email, password, token } = site.member;
  await post(site, '/login', { email, password });
  const { items } = (await site.app.rest('GET', '/sessions', undefined, { token })).body;
  return items.find((item: { is_current: boolean }) => !item.is_current).id;
}

const unverified: Prepare = async ({ app, member }) => {
  await app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
  return { token: member.token };
};

const started = { provider: 'google', code_challenge: challenge };

/** Comes back from the provider; returns what ends the flow. */
async function comeBack({ app, oidc }: Site, url: string): Promise<{ id: string; code_verifier: string }> {
  const back = await oidc.signInAt(url, 'grace');
  const { headers } = await app.rest('GET', `/oauth/google/callback${back.search}`);
  return { id: new URL(headers.get('Location')!).searchParams.get('id')!, code_verifier: verifier };
}

async function finishedFlow(site: Site) {
  const { headers } = await site.app.rest('GET', `/oauth/google/start?code_challenge=${challenge}`);
  return comeBack(site, headers.get('Location')!);
}

async function link(site: Site): Promise<void> {
  await site.app.rest('POST', '/oauth/link/finish', await returnedLink(site), site.member);
}

async function returnedLink(site: Site) {
  const input = { code_challenge: challenge };
  const { body } = await site.app.rest('POST', '/oauth/google/link/start', input, site.member);
  return comeBack(site, body.authorization_url);
}

async function mailedToken({ app, member }: Site, path: string, input: object, to: string) {
  await app.rest('POST', path, input, { token: member.token });
  for (;;) {
    const mail = await app.nextMail(to);
    if (/[?&]token=/.test(mail.text)) return tokenOf(mail);
  }
}

/** For each operation a call that succeeds, and one that its work refuses (null where nothing can be wrong). */
export const calls: Record<OperationName, { good: Prepare; bad: Prepare | null }> = {
  register: {
    good: () => ({ input: { email: 'new@example.org', password: newPassword } }),
    bad: () => ({ input: { email: owner, password: newPassword } }),
  },
  verify: {
    good: async site => ({ input: { token: await pendingToken(site) } }),
    bad: () => ({ input: { token: 'none' } }),
  },
  resendVerification: {
    good: async site => {
      await pendingToken(site);
      return { input: { email: 'new@example.org' } };
    },
    bad: () => ({ input: { email: 'no address' } }),
  },
  login: {
    good: ({ member: { email, password } }) => ({ input: { email, password } }),
    bad: ({ member: { email } }) => ({ input: { email, password: 'a wrong password' } }),
  },
  logout: { good: signedIn({ everywhere: true }), bad: null },
  features: { good: () => ({}), bad: null },
  me: { good: signedIn(), bad: null },
  updateProfile: { good: signedIn({ full_name: 'Ada' }), bad: signedIn({ full_name: 'a'.repeat(201) }) },
  changePassword: {
    good: ({ member: { token, password } }) => ({
      token,
      input: { current_password: password, new_password: newPassword },
    }),
    bad: signedIn({ current_password: 'a wrong password', new_password: newPassword }),
  },
  forgotPassword: {
    good: () => ({ input: { email: owner } }),
    bad: () => ({ input: { email: 'no address' } }),
  },
  resetPassword: {
    good: async site => ({
      input: {
        token: await mailedToken(site, '/forgot-password', { email: owner }, owner),
        new_password: newPassword,
      },
    }),
    bad: () => ({ input: { token: 'none', new_password: newPassword } }),
  },
  acceptInvitation: {
    good: async ({ app }) => {
      await app.gatehouse.users.create({ email: 'invited@example.org', invite: true });
      const token = tokenOf(await app.nextMail('invited@example.org'));
      return { input: { token, password: newPassword } };
    },
    bad: () => ({ input: { token: 'none', password: newPassword } }),
  },
  reportNotMe: {
    good: async ({ app, member: { email, password } }) => {
      const headers = {
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      };
      await app.rest('POST', '/login', { email, password }, { headers });
      return { input: { token: tokenOf(await app.nextMail(email)) } };
    },
    bad: () => ({ input: { token: 'none' } }),
  },
  keepAddedSince: {
    good: async ({ app, member: { id, token } }) => {
      await app.gatehouse.repositories.users.change(id, { set: { distrustedSince: new Date(0) } });
      return { token };
    },
    bad: null,
  },
  changeEmail: {
    good: ({ member: { token, password } }) => ({
      token,
      input: { current_password: password, new_email: 'moved@example.org' },
    }),
    bad: ({ member: { token, password } }) => ({
      token,
      input: { current_password: password, new_email: owner },
    }),
  },
  confirmEmailChange: {
    good: async site => ({
      input: {
        token: await mailedToken(
          site,
          '/change-email',
          { current_password: site.member.password, new_email: 'moved@example.org' },
          'moved@example.org',
        ),
      },
    }),
    bad: () => ({ input: { token: 'none' } }),
  },
  deleteAccount: {
    good: ({ member: { token, password } }) => ({ token, input: { current_password: password } }),
    bad: signedIn({ current_password: 'a wrong password' }),
  },
  confirmLoginMfa: {
    good: async site => ({ input: await challenged(site) }),
    bad: async site => ({ input: { ...(await challenged(site)), code: '0000000' } }),
  },
  startPhoneSetup: {
    good: ({ member: { token, password } }) => ({
      token,
      input: { phone_number: phone, current_password: password },
    }),
    bad: signedIn({ phone_number: phone, current_password: 'a wrong password' }),
  },
  confirmPhoneSetup: {
    good: async site => ({ token: site.member.token, input: await startPhone(site) }),
    bad: async site => ({
      token: site.member.token,
      input: { ...(await startPhone(site)), code: '0000000' },
    }),
  },
  disablePhone: {
    good: async site => {
      await withPhone(site);
      return { token: site.member.token, input: { current_password: site.member.password } };
    },
    bad: signedIn({ current_password: 'a wrong password' }),
  },
  startOAuthSignIn: {
    good: () => ({ input: started }),
    bad: () => ({ input: { ...started, redirect_to: 'https://elsewhere.example/' } }),
  },
  exchangeOAuth: {
    good: async site => ({ input: await finishedFlow(site) }),
    bad: () => ({ input: { id: 'none' } }),
  },
  startOAuthLink: { good: signedIn(started), bad: signedIn({ ...started, provider: 'none' }) },
  finishOAuthLink: {
    good: async site => ({ token: site.member.token, input: await returnedLink(site) }),
    bad: async site => ({
      token: site.member.token,
      input: { ...(await returnedLink(site)), code_verifier: 'wrong' },
    }),
  },
  unlinkOAuth: {
    good: async site => {
      await link(site);
      return { token: site.member.token, input: { provider: 'google' } };
    },
    bad: signedIn({ provider: 'google' }),
  },
  oauthProviders: { good: signedIn(), bad: null },
  authenticators: { good: signedIn(), bad: null },
  startTotpSetup: { good: signedIn(), bad: unverified },
  confirmTotpSetup: {
    good: async site => ({ token: site.member.token, input: await startTotp(site) }),
    bad: async site => ({ token: site.member.token, input: { ...(await startTotp(site)), code: '0000000' } }),
  },
  startPasskeySetup: { good: signedIn(), bad: unverified },
  confirmPasskeySetup: {
    good: async site => ({ token: site.member.token, input: (await startPasskey(site)).setup }),
    bad: async site => ({
      token: site.member.token,
      input: { ...(await startPasskey(site)).setup, credential: {} },
    }),
  },
  renameAuthenticator: {
    good: async site => ({
      token: site.member.token,
      input: { id: (await withPasskey(site)).id, name: 'Phone' },
    }),
    bad: signedIn({ id: 'none', name: 'Phone' }),
  },
  removeAuthenticator: {
    good: async site => ({ token: site.member.token, input: { id: (await withPasskey(site)).id } }),
    bad: signedIn({ id: 'none' }),
  },
  replaceRecoveryCodes: {
    good: async site => {
      await withPasskey(site);
      return { token: site.member.token };
    },
    bad: signedIn(),
  },
  startPasskeyLogin: { good: () => ({}), bad: null },
  loginWithPasskey: {
    good: async site => {
      const { browser } = await withPasskey(site);
      const { id, options } = await post(site, '/login/passkey/start');
      return { input: { id, credential: browser.getJSON(baseUrl, options) } };
    },
    bad: async site => {
      const { id } = await post(site, '/login/passkey/start');
      return { input: { id, credential: { id: 'none' } } };
    },
  },
  sendMfaCode: {
    good: async site => {
      const { mfa_pending_token } = await challenged(site);
      return { input: { mfa_pending_token } };
    },
    bad: () => ({ input: { mfa_pending_token: 'none' } }),
  },
  startMfaPasskey: {
    good: async site => {
      await withPasskey(site);
      await withPhone(site);
      const { email, password } = site.member;
      const { mfa_pending_token } = await post(site, '/login', { email, password });
      return { input: { mfa_pending_token } };
    },
    bad: async site => {
      const { mfa_pending_token } = await challenged(site);
      return { input: { mfa_pending_token } };
    },
  },
  reauthenticate: {
    good: ({ member: { token, password } }) => ({ token, input: { password } }),
    bad: signedIn({ password: 'a wrong password' }),
  },
  sessions: { good: signedIn(), bad: null },
  endSession: {
    good: async site => ({ token: site.member.token, input: { id: await otherSession(site) } }),
    bad: signedIn({ id: 'none' }),
  },
  endOtherSessions: {
    good: async site => {
      await otherSession(site);
      return { token: site.member.token };
    },
    bad: null,
  },
  createBrowserSession: { good: signedIn(), bad: null },
  endBrowserSession: { good: () => ({}), bad: null },
  adminStats: { good: asAdmin(() => undefined), bad: null },
  adminOverview: { good: asAdmin(() => undefined), bad: null },
  user: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminCreateUser: {
    good: asAdmin(() => ({ email: 'made@example.org', full_name: 'Made', is_verified: true })),
    bad: asAdmin(({ member: { email } }) => ({ email })),
  },
  adminUpdateUser: {
    good: asAdmin(({ member: { id } }) => ({ id, is_active: false, is_superuser: true })),
    bad: asAdmin(() => ({ id: 'none', is_active: false })),
  },
  adminDeleteUser: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminResendVerification: {
    good: asAdmin(async ({ app, member: { id } }) => {
      await app.gatehouse.repositories.users.change(id, { set: { isVerified: false } });
      return { id };
    }),
    bad: aboutMember,
  },
  adminSendReset: {
    good: aboutMember,
    bad: asAdmin(async ({ app, member: { id } }) => {
      await app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
      return { id };
    }),
  },
  adminChangeEmail: {
    good: asAdmin(async ({ member }) => ({ id: member.id, email: `moved-${member.email}` })),
    bad: asAdmin(() => ({ id: 'none', email: 'moved@example.org' })),
  },
  adminRequireNewPassword: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminUnlock: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminRevokeSessions: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  userAuthenticators: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminDisablePhone: {
    good: asAdmin(async site => {
      await withPhone(site);
      return { id: site.member.id };
    }),
    bad: asAdmin(() => ({ id: 'none' })),
  },
  adminRemoveAuthenticators: {
    good: asAdmin(async site => {
      await withPasskey(site);
      await withPhone(site);
      return { id: site.member.id };
    }),
    bad: asAdmin(() => ({ id: 'none' })),
  },
  userIdentities: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminUnlinkOAuth: {
    good: asAdmin(async site => {
      await link(site);
      return { id: site.member.id, provider: 'google' };
    }),
    bad: asAdmin(({ member: { id } }) => ({ id, provider: 'google' })),
  },
  adminRetryMessage: {
    good: asAdmin(async ({ app }) => ({ id: await addMessage(app) })),
    bad: asAdmin(() => ({ id: 'none' })),
  },
  adminDropMessage: {
    good: asAdmin(async ({ app }) => ({ id: await addMessage(app) })),
    bad: asAdmin(() => ({ id: 'none' })),
  },
  webhooks: { good: asAdmin(() => undefined), bad: null },
  adminTestWebhook: ofWebhook,
  adminEnableWebhook: ofWebhook,
  adminReplayWebhook: ofWebhook,
  userSessions: { good: aboutMember, bad: asAdmin(() => ({ id: 'none' })) },
  adminEndSession: {
    good: asAdmin(async site => ({ id: site.member.id, session_id: await otherSession(site) })),
    bad: asAdmin(({ member: { id } }) => ({ id, session_id: 'none' })),
  },
  adminPromotePending: {
    good: asAdmin(async site => {
      await pendingToken(site);
      return { email: 'new@example.org' };
    }),
    bad: asAdmin(() => ({ email: 'nobody@example.org' })),
  },
};
