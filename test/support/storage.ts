import { nameWithSuffix } from '../../src/config/storage-names.ts';
import type { EntityNames } from '../../src/entities/index.ts';
import type { StorageOptions } from '../../src/storage/options.ts';

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
      rateLimit: 'gatehouse_rate_limits',
      authenticator: 'authenticators',
      recoveryCodes: 'recovery_codes',
      challenge: 'sign_in_challenges',
      session: 'user_sessions',
      passwordFailures: 'password_failures',
      outbox: 'outbox',
      audit: 'audit_records',
      webhookEndpoint: 'webhook_endpoints',
      notMeLink: 'not_me_links',
      signInPlace: 'sign_in_places',
      ...names,
    },
    migrations: nameWithSuffix(names.user ?? 'users', '_migrations'),
    attemptLifetimeSeconds: 900,
    identityIssuers: { google: 'https://accounts.google.com' },
    pendingLifetimeSeconds: 86_400,
  };
}
