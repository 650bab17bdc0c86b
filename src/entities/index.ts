import { blacklistEntry } from './blacklist-entry.ts';
import { loginAttempt } from './login-attempt.ts';
import { mfaCode } from './mfa-code.ts';
import { oauthIdentity } from './oauth-identity.ts';
import { oauthState } from './oauth-state.ts';
import { pendingRegistration } from './pending-registration.ts';
import { rateLimit } from './rate-limit.ts';
import type { KeyColumn } from './record.ts';
import { user } from './user.ts';

/** The storage names of the seven records, each configurable (SPEC §2.5). */
export interface EntityNames {
  user: string;
  pending: string;
  blacklist: string;
  loginAttempt: string;
  mfaCode: string;
  oauthIdentity: string;
  oauthState: string;
}

/**
 * Entities for one instance. They are made anew for each, because table names are configuration and two instances
 * in one process share nothing.
 */
export function createEntities(names: EntityNames, backend: 'sql' | 'mongodb') {
  const key: KeyColumn = sqlName => (backend === 'mongodb' ? '_id' : sqlName);
  return {
    user: user(names.user, key),
    pending: pendingRegistration(names.pending, key),
    blacklist: blacklistEntry(names.blacklist, key),
    loginAttempt: loginAttempt(names.loginAttempt, key),
    mfaCode: mfaCode(names.mfaCode, key),
    oauthIdentity: oauthIdentity(names.oauthIdentity, key),
    oauthState: oauthState(names.oauthState, key),
    rateLimit: rateLimit(key),
  };
}

export type Entities = ReturnType<typeof createEntities>;
