import type { Clock } from '../../clock.ts';
import type { Factors } from '../../domain/factors.ts';
import type { SessionTokens } from '../../domain/life-cycle.ts';
import type { Resources } from '../../domain/resources.ts';
import { assertSignIn, demandOf, signInOf } from './step-up.ts';
import type { AccessTokens } from './tokens.ts';

interface Parts {
  resources: Resources;
  tokens: AccessTokens;
  clock: Clock;
  factors: Factors;
}

/** Issues tokens for other features, under the rules of `issueAccessToken`. */
export function createSessionTokens({ resources, tokens, clock, factors }: Parts): SessionTokens {
  return {
    isFor: name => resources.find(name)?.forSessions === true,

    async issue(name, session) {
      const resource = resources.find(name)!;
      const { claims, user } = session;
      await assertSignIn(signInOf(claims), demandOf(resource), user, { clock, factors });
      const issuedAt = clock.now().getTime();
      const { token, expiresIn } = await tokens.ofSession(resource, session, resource.scopes);
      return { token, issuedAt, endsAt: issuedAt + expiresIn * 1000 };
    },

    counts: async (name, token) => (await tokens.check(token, resources.find(name)!)) !== null,
  };
}
