import { isCurrent } from '../clock.ts';
import { OAuthCallbackInput } from '../contract/inputs/oauth.ts';
import { OAuthRedirect } from '../contract/views/oauth.ts';
import { findUserOfSession } from '../domain/authentication.ts';
import { type Caller, negotiatedLocale } from '../domain/caller.ts';
import { mostStarts } from '../domain/contention.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { FlowError, type OAuthAccounts } from '../domain/linking.ts';
import { createOAuthResults, linkingSessionOf } from '../domain/oauth-results.ts';
import type { RouteSpec } from '../domain/operation.ts';
import type { Proof } from '../domain/proof.ts';
import { errorPageUrl } from '../domain/redirects.ts';
import type { SignIn } from '../domain/sign-in.ts';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { linkTo } from '../mail/links.ts';
import {
  type ExternalIdentity,
  failedCheck,
  leastOf,
  type Provider,
  ProviderError,
} from '../oauth/provider.ts';
import type { Trail } from '../observability/watch.ts';
import type { OAuthState } from '../tables/oauth-state.ts';
import type { User } from '../tables/user.ts';

/** A provider may send the browser back with a form. */
const formCallback: RouteSpec = {
  ...{ at: 'POST /oauth/{provider}/callback', operationId: 'oauthFormCallback', status: 303, isForm: true },
};

/** The errors whose codes the page gets; for any other it gets `unavailable`. */
const shown: readonly ErrorCode[] = ['refused_by_host', 'recent_sign_in_required'];

/** The parts that only external sign-in needs. */
export interface CallbackParts {
  providers: readonly Provider[];
  signIn: SignIn;
  accounts: OAuthAccounts;
  logger: Logger;
}

/** The callback of the provider, which ends a sign-in or a link. */
export function createOAuthCallback(parts: Dependencies, more: CallbackParts) {
  const { providers, accounts, signIn, logger } = more;
  const { config, clock, repositories, events, define } = parts;
  const { oauth_states } = repositories;
  const { toUserPublic } = parts.views;
  const { rules } = parts.sessions;
  const results = createOAuthResults(parts);
  const isUnknownOld = config.oauth.unknownSignInAge === 'old';

  /**
   * Returns the flow of a callback, consumed so that no other callback can use it (CSRF).
   * @throws {FlowError} bad_state, state_expired
   */
  async function consumeFlow(row: OAuthState | null, provider: Provider): Promise<OAuthState> {
    if (!row || row.resultToken !== null || row.provider !== provider.name) throw new FlowError('bad_state');
    const isOpen = isCurrent(row.expiresAt, config.oauth.stateTtlSeconds, clock.now());
    if (!isOpen) throw new FlowError('state_expired');
    if (!(await oauth_states.consume(row.id))) throw new FlowError('bad_state');
    // Begun before challenges were required.
    if (config.oauth.requireCodeChallenge && row.codeChallenge === null) throw new FlowError('bad_state');
    return row;
  }

  /**
   * Rejects a sign-in of unknown age where the provider has a `max_age_seconds` and `oauth.unknown_sign_in_age` is `old`. One
   * that is known to be older was refused before, by what the provider was asked for.
   * @throws {ProviderError} id_token_failed
   */
  function assertAge({ signedInSecondsAgo: age }: ExternalIdentity, { mostAge }: Provider): void {
    const isOld = age === null && mostAge !== null && isUnknownOld;
    if (isOld) throw new ProviderError('id_token_failed', failedCheck('auth_time'));
  }

  async function finishLink(
    provider: Provider,
    flow: OAuthState,
    external: ExternalIdentity,
    trail: Trail,
  ): Promise<string> {
    const session = linkingSessionOf(flow);
    const user = await findUserOfSession(repositories, session);
    if (!user) throw new FlowError('bad_state');
    trail.subject = user.id;
    if (!user.isVerified) throw new FlowError('email_not_verified');
    // An app may have been added while the person was at the provider. The former version did not store how the session was made.
    const isKnown = session.amr !== undefined;
    if (config.recentSignInForLinks && isKnown) await rules.assertComplete({ user, claims: session });
    const url = new URL(flow.redirectTo);
    if (flow.codeChallenge !== null) {
      // The browser that came back need not be the one that started: the link is ended by one that has the verifier.
      url.searchParams.set('id', await results.add(flow, JSON.stringify(external)));
      return url.href;
    }
    const hasSession = async () => (await findUserOfSession(repositories, session)) !== null;
    await accounts.link(user, provider, external, hasSession, trail);
    url.searchParams.set('linked', provider.name);
    return url.href;
  }

  async function finishSignIn(
    provider: Provider,
    flow: OAuthState,
    external: ExternalIdentity,
    trail: Trail,
    caller: Caller,
  ): Promise<string> {
    const secondsAgo = external.signedInSecondsAgo ?? (isUnknownOld ? Number.POSITIVE_INFINITY : null);
    const proof: Proof = {
      amr: ['fed'],
      method: 'oauth',
      caller,
      ...(secondsAgo !== null && { secondsAgo }),
    };
    const admit = (user: User) =>
      config.oauth.enforceMfa ? signIn.prepare(user, proof) : signIn.allow(user, proof);
    let wasNew = false;
    const locale = negotiatedLocale(config, caller);
    for (let start = 0; start < mostStarts; start++) {
      const found = await accounts.signIn(provider, external, locale, trail, admit);
      if (!found) continue;
      wasNew ||= found.wasNew;
      const { user } = found;
      trail.subject = user.id;
      const entered = await found.enter();
      // The account changed since it was read: retry.
      if (!entered) continue;
      const { answer } = entered;
      const token = 'access_token' in answer ? answer.access_token : answer.mfa_pending_token;
      const id = await results.add(flow, token, wasNew);
      await events.emit('oauth_signin_completed', {
        user: toUserPublic(user),
        provider: provider.name,
        mode: 'signin',
        was_new: wasNew,
      });
      return linkTo(config.urls.oauthComplete, 'id', id).url;
    }
    throw new FlowError('unavailable');
  }

  const callback = define(
    {
      name: 'oauthCallback',
      at: [
        'GET /oauth/{provider}/callback',
        ...(providers.some(({ postsForm }) => postsForm) ? [formCallback] : []),
      ],
      status: 302,
      isRestOnly: true,
      summary: 'Receives the browser back from the identity provider and sends it on to the application.',
      description:
        'The state is checked, and so are the signature, the issuer and the nonce of an ID token. The browser is redirected with an `id` for the exchange, or with an error code.',
      access: { kind: 'anyone' },
      input: OAuthCallbackInput,
      output: OAuthRedirect,
      errors: [],
    },
    async ({ provider: name, code, state, error, iss, user }, { caller, trail }): Promise<OAuthRedirect> => {
      let row: OAuthState | null = null;
      try {
        const provider = providers.find(candidate => candidate.name === name);
        if (!provider) throw new FlowError('unknown_provider');
        if (!state || (!code && !error)) throw new FlowError('missing_code_or_state');
        row = await oauth_states.find(state);
        const flow = await consumeFlow(row, provider);
        // An error without an issuer is a refusal, from any sender; a code without one could be another provider's
        // (mix-up attack, RFC 9207).
        if (code || iss !== undefined) await provider.checkIssuer(iss);
        // The provider's text about the reason is not repeated anywhere.
        if (!code) throw new FlowError('oauth_failed');
        const { nonce, codeVerifier } = flow;
        // The maximum of the configuration may be a newer one than the flow's.
        const maxAge = leastOf(flow.maxAge ?? null, provider.mostAge);
        const external = await provider.identify({ code, state, iss, user, nonce, codeVerifier, maxAge });
        assertAge(external, provider);
        const finish = flow.mode === 'link' ? finishLink : finishSignIn;
        return { location: await finish(provider, flow, external, trail, caller) };
      } catch (thrown) {
        const page = row?.mode === 'link' ? config.urls.account : config.urls.login;
        trail.refusal = reasonOf(thrown, caller.requestId);
        return { location: errorPageUrl(page, trail.refusal) };
      }
    },
  );

  /** Returns the error code for the redirect; the failed check is logged and not sent to the client. */
  function reasonOf(thrown: unknown, request_id: string | undefined): string {
    if (thrown instanceof FlowError) return thrown.code;
    if (thrown instanceof ProviderError) {
      const { code, cause } = thrown;
      const { name = 'unknown', code: check } = (cause ?? {}) as { name?: string; code?: string };
      logger.warn({ request_id, reason: code, check: check ?? name }, 'an external sign-in failed');
      return code;
    }
    const isShown = thrown instanceof GatehouseError && shown.includes(thrown.code);
    if (isShown) return thrown.code;
    const isForeseen = thrown instanceof GatehouseError && thrown.kind !== 'internal';
    if (!isForeseen) logger.error({ request_id, err: thrown }, 'an external sign-in failed unexpectedly');
    return 'unavailable';
  }

  return { callback };
}
