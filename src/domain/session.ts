import type { Claims } from '../crypto/claims.ts';
import type { User } from '../entities/user.ts';

/** A session that was valid when it was checked. */
export interface Session {
  user: User;
  claims: Claims;
}
