import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Tokens } from '../crypto/tokens.ts';
import type { User } from '../entities/user.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { SessionView } from './views.ts';

export type Sessions = ReturnType<typeof createSessions>;

interface SessionsParts {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  tokens: Tokens;
}

/** How a session comes to be. Every way in ends here. */
export function createSessions({ config, clock, repositories, tokens }: SessionsParts) {
  return {
    /**
     * Signs a session for a user as it was read, or answers null when the user was revoked, disabled or deleted since:
     * then whoever asks reads again and starts over. The token's `iat` is stored before it is signed, so no later
     * cutoff can miss it, and it is later than the present cutoff, even where two servers' clocks disagree.
     */
    async start(user: User): Promise<SessionView | null> {
      const now = clock.now();
      const cutoff = user.tokensInvalidatedAfter;
      const issuedAt = cutoff && cutoff >= now ? new Date(cutoff.getTime() + 1) : now;
      const unchanged = { tokensInvalidatedAfter: cutoff, isActive: true };
      const stored = await repositories.users.change(
        user.id,
        { set: { lastLogin: now }, issuedAt },
        unchanged,
      );
      if (stored !== true) return null;
      const ttlSeconds = config.jwtTtlSeconds;
      const token = await tokens.sign('session', { sub: user.id, issuedAt, ttlSeconds });
      return { access_token: token, token_type: 'bearer', expires_in: ttlSeconds };
    },
  };
}
