import type { User } from '../entities/user.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { TextedCodes } from './codes.ts';
import type { Dependencies } from './dependencies.ts';
import { type MfaChallengeView, toUserPublic } from './views.ts';

export type SecondStep = ReturnType<typeof createSecondStep>;

/** What stands between an accepted first factor and a session, for whoever set a phone up. */
export function createSecondStep(
  { config, issuing, events }: Pick<Dependencies, 'config' | 'issuing' | 'events'>,
  lockout: Lockout,
  texted: TextedCodes,
) {
  return {
    isDue: (user: User) => user.isMfaEnabled && user.phoneNumber !== null,

    /**
     * Texts a code and hands out the token that goes with it; null when the user was revoked since being read.
     * @throws {GatehouseError} rate_limited, account_locked
     */
    async begin(user: User): Promise<MfaChallengeView | null> {
      await lockout.open({ code: user.id });
      const ttlSeconds = config.mfaPendingTokenTtlSeconds;
      const token = await issuing.issue('login_mfa', user, { ttlSeconds });
      if (token === null) return null;
      await texted.send(user.id, 'login', user.phoneNumber!);
      events.emit('mfa_login_started', { user: toUserPublic(user) });
      return { status: 'mfa_required', mfa_pending_token: token, expires_in: ttlSeconds, delivery: 'sms' };
    },
  };
}
