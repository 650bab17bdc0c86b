import type { EntityNames } from '../../src/entities/index.ts';
import type { StorageOptions } from '../../src/storage/open.ts';

/** Storage options as the defaults of the configuration have them, with other names where a test wants some. */
export function storageOptions(names: Partial<EntityNames> = {}): StorageOptions {
  return {
    names: {
      user: 'users',
      pending: 'pending_registrations',
      blacklist: 'token_blacklist',
      loginAttempt: 'login_attempts',
      mfaCode: 'mfa_codes',
      oauthIdentity: 'oauth_identities',
      oauthState: 'oauth_states',
      ...names,
    },
    attemptLifetimeSeconds: 900,
  };
}
