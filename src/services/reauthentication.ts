import type { PasswordHasher } from '../crypto/password-hash.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Lockout } from '../limits/lockout.ts';
import type { Caller } from './authentication.ts';

export type Reauthentication = ReturnType<typeof createReauthentication>;

/** The current password, asked again before something that an open session alone must not do (SPEC §5.2.3). */
export function createReauthentication({ hasher, lockout }: { hasher: PasswordHasher; lockout: Lockout }) {
  return {
    /** @throws {GatehouseError} password_not_set, wrong_password, account_locked */
    async confirm(user: User, password: string, caller: Caller): Promise<void> {
      if (user.hashedPassword === null) throw new GatehouseError('password_not_set');
      const guess = await lockout.open({ currentPassword: user.id });
      const isRight = await hasher.verify(user.hashedPassword, password);
      const release = await guess.decide(isRight, caller.ip);
      await release();
      if (!isRight) throw new GatehouseError('wrong_password');
    },
  };
}

/** What a session gets that was ended while its own request was under way. */
export function sessionEnded(): GatehouseError {
  return new GatehouseError('unauthenticated', { detail: 'The session has been ended.' });
}
