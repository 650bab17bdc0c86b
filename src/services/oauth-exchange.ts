import { z } from 'zod';
import { ExchangeOAuthInput } from '../contract/inputs/oauth.ts';
import { OAuthMfaView, OAuthSessionView } from '../contract/views/oauth.ts';
import { findUserOfSession } from '../domain/authentication.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { assertVerifier, createOAuthResults } from '../domain/oauth-results.ts';
import type { SignIn } from '../domain/sign-in.ts';
import { GatehouseError } from '../errors.ts';

/** The end of an external sign-in: the browser exchanges the id of its result for the session, once. */
export function createOAuthExchange(parts: Dependencies, signIn: SignIn) {
  const { clock, repositories, define } = parts;
  const { tokens, issuing } = parts.sessions;
  const { factors } = parts.strongSignIn;
  const results = createOAuthResults(parts);

  const exchange = define(
    {
      name: 'exchangeOAuth',
      at: 'POST /oauth/exchange',
      summary: 'Exchanges a finished external sign-in for a session, once.',
      description:
        'It takes the `id` that the browser brought, and the code verifier where the start had a challenge. Returns a session, or the token of a second step.',
      access: { kind: 'anyone', takesSession: signIn.takesSession },
      input: ExchangeOAuthInput,
      output: z.union([OAuthSessionView, OAuthMfaView]),
      limit: 'oauth_exchange',
      errors: ['not_found', 'invalid_token'],
    },
    async ({ id, code_verifier }, context): Promise<OAuthSessionView | OAuthMfaView> => {
      const { caller, trail, findSession } = context;
      const result = await results.find(id, 'signin');
      if (!result) throw new GatehouseError('not_found');
      const { content: token, row } = result;
      assertVerifier(code_verifier, row);
      // Before the result is consumed: a failure of this read loses no sign-in.
      const { supersedes } = await signIn.supersededBy(findSession);
      if (!(await results.consume(result))) throw new GatehouseError('not_found');
      const now = clock.now();
      const more = { redirect_to: row.redirectTo, was_new_account: row.wasNewAccount };
      const session = tokens.verify('session', token);
      if ('claims' in session) {
        if (supersedes) {
          // Revoked since the callback, it is no session that could take the place of another.
          if (!(await findUserOfSession(repositories, session.claims))) throw new GatehouseError('not_found');
          await issuing.supersede(supersedes, caller);
        }
        trail.subject = session.claims.sub;
        const expires_in = remaining(session.claims.exp, now);
        return { access_token: token, token_type: 'bearer', expires_in, ...more };
      }
      const pending = tokens.verify('login_mfa', token);
      if ('refused' in pending) throw new GatehouseError('not_found');
      trail.subject = pending.claims.sub;
      const expires_in = remaining(pending.claims.exp, now);
      const user = await repositories.users.find(pending.claims.sub);
      const methods = user ? await factors.methodsOf(user) : [];
      return {
        status: 'mfa_required',
        mfa_pending_token: supersedes ? issuing.superseding(pending.claims, supersedes) : token,
        expires_in,
        ...factors.describeMethods(methods),
        ...more,
      };
    },
  );

  return { exchange };
}

const remaining = (exp: number, now: Date) => Math.max(1, Math.floor(exp - now.getTime() / 1000));
