import type { Claims } from '../crypto/claims.ts';
import type { User } from '../tables/user.ts';

/** A session that was valid when it was checked. */
export interface Session {
  user: User;
  claims: Claims;
}

/** Returns whether a session was made with two factors: a second step, or a passkey. */
export const hasTwoFactors = ({ amr = [] }: Pick<Claims, 'amr'>): boolean => amr.includes('mfa');
