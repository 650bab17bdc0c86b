import type { Claims } from '../crypto/claims.ts';
import type { User } from '../tables/user.ts';

/** A session that was valid when it was checked. */
export interface Session {
  user: User;
  claims: Claims;
}

/** A key of a person that was valid when it was checked: it counts where an operation takes keys, and nowhere else. */
export interface Key {
  id: string;
  /** As its owner named it. */
  name: string;
  /** The rights that it gives, as far as the configuration still has them. */
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** Who calls an operation that takes keys, too: by a session, or by a key. */
export type Person = (Session & { key?: undefined }) | KeyHolder;

export interface KeyHolder {
  user: User;
  key: Key;
}

/** Returns whether a session was made with two factors: a second step, or a passkey. */
export const hasTwoFactors = ({ amr = [] }: Pick<Claims, 'amr'>): boolean => amr.includes('mfa');
