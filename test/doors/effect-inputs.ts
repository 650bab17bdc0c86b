import { newPassword, tokenOf } from '../support/app.ts';
import type { OperationName } from '../support/doors.ts';
import { featureTests } from '../support/feature-tests.ts';
import { addMessage } from '../support/outbox.ts';
import { challenge, verifier } from './provider-site.ts';
import {
  asAdmin,
  type Calls,
  challenged,
  owner,
  phone,
  post,
  type Site,
  signedIn,
  startPhone,
  withPasskey,
  withPhone,
} from './site.ts';

const aboutMember = asAdmin(({ member }) => ({ id: member.id }));

/** Registers somebody and answers the token of the mail. */
export async function pendingToken({ app }: Site, email = 'new@example.org'): Promise<string> {
  await app.rest('POST', '/register', { email, password: newPassword });
  return tokenOf(await app.nextMail(email));
}

/** A second session of the member. */
async function otherSession(site: Site): Promise<string> {
  const { email, password, token } = site.member;
  await post(site, '/login', { email, password });
  const { items } = (await site.app.rest('GET', '/sessions', undefined, { token })).body;
  return items.find((item: { is_current: boolean }) => !item.is_current).id;
}

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

/** The calls of every operation. */
export const calls: Calls<Record<OperationName, unknown>> = {
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
  sendMfaCode: {
    good: async site => {
      const { mfa_pending_token } = await challenged(site);
      return { input: { mfa_pending_token } };
    },
    bad: () => ({ input: { mfa_pending_token: 'none' } }),
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
  ...featureTests.calls,
};
