import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { randomToken } from '../crypto/one-time.ts';
import type { OAuthMode, OAuthState } from '../entities/oauth-state.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import {
  ExchangeOAuthInput,
  OAuthCallbackInput,
  StartOAuthLinkInput,
  StartOAuthSignInInput,
} from '../inputs/oauth.ts';
import { linkTo } from '../mail/links.ts';
import { type ExternalIdentity, type Provider, ProviderError } from '../oauth/provider.ts';
import type { Trail } from '../observability/watch.ts';
import { isCutOff, type Session } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import { createOAuthAccounts, FlowError } from './oauth-accounts.ts';
import type { OAuthIdentities } from './oauth-identities.ts';
import { samePage } from './redirects.ts';
import type { SecondStep } from './second-step.ts';
import { OAuthMfaView, OAuthRedirect, OAuthSessionView, OAuthStartView, toUserPublic } from './views.ts';

export type OAuthService = ReturnType<typeof createOAuth> & OAuthIdentities;

/** What is remembered of the session that started a link: it must still stand when the provider answers. */
type LinkingSession = Pick<Session['claims'], 'jti' | 'iat'>;

/** How often a sign-in starts over when the account changes under it, before it gives up. */
const mostStarts = 5;

/** The flows of an external identity provider: signing in, and linking. */
export function createOAuth(parts: Dependencies, providers: Provider[], secondStep: SecondStep | undefined) {
  const { config, clock, repositories, tokens, issuing, lockout, events, logger, define } = parts;
  const { users, oauth_states } = repositories;
  const accounts = createOAuthAccounts(parts);
  const byName = new Map(providers.map(provider => [provider.name, provider]));

  function getProvider(name: string): Provider {
    const provider = byName.get(name);
    if (!provider) throw new GatehouseError('not_found', { detail: 'There is no such provider here.' });
    return provider;
  }

  /** Stores a flow and answers where the browser goes. */
  async function begin(
    provider: Provider,
    mode: OAuthMode,
    fields: Partial<OAuthState> & { redirectTo: string },
  ): Promise<OAuthStartView> {
    const now = clock.now();
    const state: OAuthState = {
      id: randomToken(),
      provider: provider.name,
      mode,
      codeVerifier: randomToken(),
      nonce: randomToken(),
      codeChallenge: null,
      linkingUserId: null,
      linkingSession: null,
      resultToken: null,
      wasNewAccount: false,
      createdAt: now,
      expiresAt: new Date(now.getTime() + config.oauth.stateTtlSeconds * 1000),
      ...fields,
    };
    const { id, nonce, codeVerifier } = state;
    const selectAccount = mode === 'link';
    const url = await provider
      .authorizationUrl({ state: id, nonce, codeVerifier, selectAccount })
      .catch(cause => Promise.reject(new GatehouseError('unavailable', { retryAfterSeconds: 5, cause })));
    await oauth_states.add(state);
    return { authorization_url: url.href };
  }

  const pageAfter = (redirectTo: string | null | undefined) =>
    redirectTo == null ? config.urls.account : samePage(redirectTo, config);

  const startSignIn = define(
    {
      name: 'startOAuthSignIn',
      access: 'anyone',
      input: StartOAuthSignInInput,
      answers: OAuthStartView,
      limit: 'oauth_start',
      errors: ['not_found', 'bad_redirect'],
    },
    async ({ provider: name, redirect_to, code_challenge }): Promise<OAuthStartView> => {
      const provider = getProvider(name);
      const redirectTo = pageAfter(redirect_to);
      const started = await begin(provider, 'signin', { redirectTo, codeChallenge: code_challenge ?? null });
      events.emit('oauth_signin_started', { provider: name, mode: 'signin' });
      return started;
    },
  );

  const startLink = define(
    {
      name: 'startOAuthLink',
      access: 'session',
      input: StartOAuthLinkInput,
      answers: OAuthStartView,
      limit: 'oauth_start',
      errors: ['not_found', 'bad_redirect'],
    },
    async ({ provider: name, redirect_to }, { session: { user, claims } }): Promise<OAuthStartView> => {
      const provider = getProvider(name);
      const linkingSession: LinkingSession = { jti: claims.jti, iat: claims.iat };
      const started = await begin(provider, 'link', {
        redirectTo: pageAfter(redirect_to),
        linkingUserId: user.id,
        linkingSession: JSON.stringify(linkingSession),
      });
      events.emit('oauth_signin_started', { provider: name, mode: 'link', user: toUserPublic(user) });
      return started;
    },
  );

  /** The flow that a callback belongs to, taken so that no other callback can use it. @throws {FlowError} */
  async function takeFlow(row: OAuthState | null, provider: string): Promise<OAuthState> {
    if (!row || row.resultToken !== null || row.provider !== provider) throw new FlowError('bad_state');
    if (row.expiresAt <= clock.now()) throw new FlowError('state_expired');
    if (!(await oauth_states.take(row.id))) throw new FlowError('bad_state');
    return row;
  }

  /** The user whose session started the link, if that session still stands. @throws {FlowError} bad_state */
  async function linkingUser({ linkingUserId, linkingSession }: OAuthState): Promise<User> {
    const claims = JSON.parse(linkingSession ?? '{}') as LinkingSession;
    const found = linkingUserId ? await users.findSession(linkingUserId, claims.jti) : null;
    if (!found || found.isBlacklisted || !found.user.isActive || isCutOff(claims, found.user)) {
      throw new FlowError('bad_state');
    }
    return found.user;
  }

  async function finishLink(flow: OAuthState, external: ExternalIdentity, trail: Trail): Promise<string> {
    const user = await linkingUser(flow);
    trail.subject = user.id;
    await accounts.link(user, flow.provider, external);
    const done = { user: toUserPublic(user), provider: flow.provider, mode: 'link', was_new: false } as const;
    events.emit('oauth_signin_completed', done);
    const url = new URL(flow.redirectTo);
    url.searchParams.set('linked', flow.provider);
    return url.href;
  }

  /** A session, or the token of the second step where that is due after external sign-in too. */
  async function issueFor(user: User): Promise<string | null> {
    if (config.oauth.enforceMfa && secondStep?.isDue(user)) {
      return (await secondStep.begin(user))?.mfa_pending_token ?? null;
    }
    const started = await issuing.startSession(user);
    if (!started) return null;
    await lockout.clearUser(user);
    events.emit('user_logged_in', { user: toUserPublic(started.user), method: 'oauth' });
    return started.session.access_token;
  }

  async function finishSignIn(flow: OAuthState, external: ExternalIdentity, trail: Trail): Promise<string> {
    let wasNew = false;
    for (let start = 0; start < mostStarts; start++) {
      const signedIn = await accounts.signIn(flow.provider, external);
      wasNew ||= signedIn.wasNew;
      const { user } = signedIn;
      trail.subject = user.id;
      const resultToken = await issueFor(user);
      // The account changed since it was read: it is read again.
      if (resultToken === null) continue;
      const now = clock.now();
      // Whoever started the flow knows its state; the result gets an id that only this browser sees.
      const id = randomToken();
      const expiresAt = new Date(now.getTime() + config.oauth.completionTtlSeconds * 1000);
      await oauth_states.add({ ...flow, id, resultToken, wasNewAccount: wasNew, createdAt: now, expiresAt });
      const view = toUserPublic(user);
      events.emit('oauth_signin_completed', {
        user: view,
        provider: flow.provider,
        mode: 'signin',
        was_new: wasNew,
      });
      return linkTo(config.urls.oauthComplete, 'id', id).url;
    }
    throw new FlowError('unavailable');
  }

  async function answer(provider: Provider, flow: OAuthState, code: string, trail: Trail): Promise<string> {
    const { id: state, nonce, codeVerifier } = flow;
    const external = await provider.identify({ code, state, nonce, codeVerifier });
    return flow.mode === 'link' ? finishLink(flow, external, trail) : finishSignIn(flow, external, trail);
  }

  const callback = define(
    {
      name: 'oauthCallback',
      access: 'anyone',
      input: OAuthCallbackInput,
      answers: OAuthRedirect,
      errors: [],
    },
    async ({ provider: name, code, state, error }, { caller, trail }): Promise<OAuthRedirect> => {
      let row: OAuthState | null = null;
      try {
        const provider = byName.get(name);
        if (!provider) throw new FlowError('unknown_provider');
        if (!state || (!code && !error)) throw new FlowError('missing_code_or_state');
        row = await oauth_states.find(state);
        const flow = await takeFlow(row, name);
        // What the provider says of the reason is not repeated anywhere.
        if (!code) throw new FlowError('oauth_failed');
        return { location: await answer(provider, flow, code, trail) };
      } catch (thrown) {
        const page = row?.mode === 'link' ? config.urls.account : config.urls.login;
        trail.refusal = reasonOf(thrown, caller.requestId);
        return { location: errorPage(page, trail.refusal) };
      }
    },
  );

  /** The word for the redirect; the failed check goes to the log and not to the client. */
  function reasonOf(thrown: unknown, request_id: string | undefined): string {
    if (thrown instanceof FlowError) return thrown.code;
    if (thrown instanceof ProviderError) {
      const { code, cause } = thrown;
      const { name = 'unknown', code: check } = (cause ?? {}) as { name?: string; code?: string };
      logger.warn({ request_id, reason: code, check: check ?? name }, 'an external sign-in failed');
      return code;
    }
    const isForeseen = thrown instanceof GatehouseError && thrown.kind !== 'internal';
    if (!isForeseen) logger.error({ request_id, err: thrown }, 'an external sign-in failed unexpectedly');
    return 'unavailable';
  }

  const exchange = define(
    {
      name: 'exchangeOAuth',
      access: 'anyone',
      input: ExchangeOAuthInput,
      answers: z.union([OAuthSessionView, OAuthMfaView]),
      limit: 'oauth_exchange',
      errors: ['not_found', 'invalid_token'],
    },
    async ({ id, code_verifier }, { trail }): Promise<OAuthSessionView | OAuthMfaView> => {
      const row = await oauth_states.find(id);
      const now = clock.now();
      if (!row?.resultToken || row.expiresAt <= now) throw new GatehouseError('not_found');
      if (!answers(code_verifier, row.codeChallenge)) {
        const detail = 'The verifier is missing, or is not the one of this sign-in.';
        throw new GatehouseError('invalid_token', { detail });
      }
      if (!(await oauth_states.take(id))) throw new GatehouseError('not_found');
      const { resultToken, redirectTo: redirect_to, wasNewAccount: was_new_account } = row;
      const more = { redirect_to, was_new_account };
      const session = tokens.verify('session', resultToken);
      if ('claims' in session) {
        trail.subject = session.claims.sub;
        const expires_in = remaining(session.claims.exp, now);
        return { access_token: resultToken, token_type: 'bearer', expires_in, ...more };
      }
      const pending = tokens.verify('login_mfa', resultToken);
      if ('refused' in pending) throw new GatehouseError('not_found');
      trail.subject = pending.claims.sub;
      const expires_in = remaining(pending.claims.exp, now);
      return { status: 'mfa_required', mfa_pending_token: resultToken, expires_in, delivery: 'sms', ...more };
    },
  );

  return { startSignIn, startLink, callback, exchange };
}

function errorPage(page: string, code: string): string {
  const url = new URL(page);
  url.searchParams.set('error', code);
  return url.href;
}

/** RFC 7636 §4.1. A shorter one could be guessed: an app that has none may send a word in its place. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * Whether this is the verifier of the challenge (RFC 7636 §4.6). Without a challenge there must be none: an app that
 * keeps a verifier has started another flow than this (RFC 9700 §4.8.2).
 */
function answers(verifier: string | null | undefined, challenge: string | null): boolean {
  if (challenge === null) return verifier == null;
  if (!verifier || !verifierForm.test(verifier)) return false;
  const given = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  return timingSafeEqual(given, Buffer.from(challenge));
}

const remaining = (exp: number, now: Date) => Math.max(1, Math.floor(exp - now.getTime() / 1000));
