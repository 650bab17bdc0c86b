import { StartOAuthSignInInput, startOAuthLinkInput } from '../contract/inputs/oauth.ts';
import { OAuthStartView } from '../contract/views/oauth.ts';
import { randomToken } from '../crypto/one-time.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { requireVerified } from '../domain/reauthentication.ts';
import { errorPageUrl, parseSameOriginUrl } from '../domain/redirects.ts';
import { fieldError, GatehouseError } from '../errors.ts';
import { leastOf, type Provider } from '../oauth/provider.ts';
import { failureLifeMs } from '../oauth/shared-request.ts';
import type { OAuthMode, OAuthState } from '../tables/oauth-state.ts';
import { say } from '../words/said.ts';

/**
 * A year, in seconds: a maximum that makes no person sign in again. A provider that is given one has to say when the person
 * signed in (OpenID Connect Core §2).
 */
const anyAge = 31_536_000;

/** The start of a flow: the browser is sent to the provider. */
export function createOAuthStart(parts: Dependencies, providers: readonly Provider[]) {
  const { config, clock, repositories, events, define } = parts;
  const { oauth_states } = repositories;
  const { toUserPublic } = parts.views;
  const requiresChallenge = config.oauth.requireCodeChallenge;

  /** Without changes that need a recent sign-in, it does not matter how recent one is. */
  const isAgeAsked =
    parts.reauthentication.canLeaveOut ||
    config.recentSignInForAdministration ||
    config.recentSignInForSessions ||
    config.oauth.unknownSignInAge === 'old';
  const usualMaxAge = isAgeAsked ? anyAge : null;

  function getProvider(name: string): Provider {
    const provider = providers.find(candidate => candidate.name === name);
    if (!provider) throw new GatehouseError('not_found', { detail: say('error_no_provider') });
    return provider;
  }

  /** Rejects a flow that any browser could end. @throws {GatehouseError} invalid_input */
  function assertChallenge(challenge: string | null | undefined): void {
    if (!requiresChallenge || challenge != null) return;
    throw new GatehouseError('invalid_input', {
      errors: [fieldError('code_challenge', say('field_required'))],
    });
  }

  /** Returns the page that says why no flow was started, where a person has no use for a problem document. */
  function pageAfter({ kind, errors = [] }: GatehouseError): string | null {
    if (kind === 'unavailable') return errorPageUrl(config.urls.login, 'unavailable');
    const lacksChallenge = requiresChallenge && errors.some(({ path }) => path === 'code_challenge');
    return lacksChallenge ? errorPageUrl(config.urls.login, 'code_challenge_required') : null;
  }

  /** Stores a flow and returns where the browser goes. @throws {GatehouseError} unavailable */
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
      maxAge: provider.mostAge,
      linkingUserId: null,
      linkingSession: null,
      resultToken: null,
      wasNewAccount: false,
      createdAt: now,
      expiresAt: new Date(now.getTime() + config.oauth.stateTtlSeconds * 1000),
      ...fields,
    };
    const { id, nonce, codeVerifier, maxAge } = state;
    const selectAccount = mode === 'link';
    const url = await provider
      .authorizationUrl({ state: id, nonce, codeVerifier, selectAccount, maxAge })
      .catch(cause => {
        throw new GatehouseError('unavailable', { retryAfterSeconds: failureLifeMs / 1000, cause });
      });
    await oauth_states.add(state);
    return { authorization_url: url.href };
  }

  const returnPage = (redirectTo: string | null | undefined) =>
    redirectTo == null ? config.urls.account : parseSameOriginUrl(redirectTo, config);

  const startSignIn = define(
    {
      name: 'startOAuthSignIn',
      at: { at: 'GET /oauth/{provider}/start', status: 302, pageAfter },
      summary: 'Starts a sign-in with an external identity provider.',
      description:
        'A browser is redirected to the provider, with a state that is good once. `redirect_to` must be a page of this site.',
      access: { kind: 'anyone' },
      input: StartOAuthSignInInput,
      output: OAuthStartView,
      limit: 'oauth_start',
      errors: ['not_found', 'bad_redirect'],
    },
    async ({ provider: name, redirect_to, code_challenge, max_age }): Promise<OAuthStartView> => {
      const provider = getProvider(name);
      assertChallenge(code_challenge);
      const redirectTo = returnPage(redirect_to);
      const started = await begin(provider, 'signin', {
        redirectTo,
        codeChallenge: code_challenge ?? null,
        maxAge: leastOf(max_age ?? usualMaxAge, provider.mostAge),
      });
      await events.emit('oauth_signin_started', { provider: name, mode: 'signin' });
      return started;
    },
  );

  const startLink = define(
    {
      name: 'startOAuthLink',
      at: { at: 'POST /oauth/{provider}/link/start', orQuery: true },
      summary: 'Starts linking an external identity to the account that is signed in.',
      description: 'Returns the address of the provider, to which the application sends the browser.',
      access: { kind: 'session', isSensitive: config.recentSignInForLinks },
      input: startOAuthLinkInput(requiresChallenge),
      output: OAuthStartView,
      limit: 'oauth_start',
      errors: ['not_found', 'bad_redirect', 'email_not_verified'],
    },
    async (
      { provider: name, redirect_to, code_challenge },
      { session: { user, claims } },
    ): Promise<OAuthStartView> => {
      const provider = getProvider(name);
      assertChallenge(code_challenge);
      requireVerified(user);
      const { jti, iat, amr } = claims;
      const started = await begin(provider, 'link', {
        redirectTo: returnPage(redirect_to),
        codeChallenge: code_challenge ?? null,
        linkingUserId: user.id,
        linkingSession: JSON.stringify({ jti, iat, amr }),
      });
      await events.emit('oauth_signin_started', { provider: name, mode: 'link', user: toUserPublic(user) });
      return started;
    },
  );

  return { startSignIn, startLink };
}
