import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Purpose, Tokens } from '../crypto/tokens.ts';
import type { User } from '../entities/user.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { SessionView } from './views.ts';

export type Issuing = ReturnType<typeof createIssuing>;

interface IssuingParts {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  tokens: Tokens;
}

interface TokenRequest {
  ttlSeconds: number;
  new_email?: string;
  /** What else is stored in the same statement. */
  set?: { lastLogin: Date };
}

/** How tokens are given to a user: every one, of every purpose, passes here. */
export function createIssuing({ config, clock, repositories, tokens }: IssuingParts) {
  /**
   * Signs a token for a user as it was read, or answers null when the user was revoked, disabled or deleted since:
   * then whoever asks reads again and starts over. The token's `iat` is stored before it is signed, so no later
   * cutoff can miss it, and it is later than the present cutoff, even where two servers' clocks disagree.
   */
  async function issue(purpose: Purpose, user: User, request: TokenRequest): Promise<string | null> {
    const { set, ...claims } = request;
    const now = clock.now();
    const cutoff = user.tokensInvalidatedAfter;
    const issuedAt = cutoff && cutoff >= now ? new Date(cutoff.getTime() + 1) : now;
    const { isMfaEnabled, phoneNumber } = user;
    // A phone that was set up meanwhile asks for the second step, which this token would skip.
    const unchanged = { tokensInvalidatedAfter: cutoff, isActive: true, isMfaEnabled, phoneNumber };
    const stored = await repositories.users.change(user.id, { set, issuedAt }, unchanged);
    return stored === true ? tokens.sign(purpose, { sub: user.id, issuedAt, ...claims }) : null;
  }

  return {
    issue,

    /** Signs a session, the end of every way in, and answers the user as it is now; null as for any token. */
    async startSession(user: User): Promise<{ session: SessionView; user: User } | null> {
      const ttlSeconds = config.jwtTtlSeconds;
      const lastLogin = clock.now();
      const token = await issue('session', user, { ttlSeconds, set: { lastLogin } });
      if (token === null) return null;
      const session: SessionView = { access_token: token, token_type: 'bearer', expires_in: ttlSeconds };
      return { session, user: { ...user, lastLogin } };
    },
  };
}
