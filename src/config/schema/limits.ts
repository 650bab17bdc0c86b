import type { FeatureLimit } from '../../feature.ts';
import { featureLimits } from '../../feature-parts.ts';
import { limit } from './fields.ts';

/** `svc init` writes no limit without a usual one. */
type Limit = Partial<FeatureLimit> & Pick<FeatureLimit, 'counts'>;

/**
 * The core's limits per client address, which its operations name. The usual ones are wide enough for an office behind one
 * address, too narrow for brute force.
 */
const ofCore = {
  login: { counts: 'POST /login, per client address', usual: '30/minute;300/hour' },
  login_mfa_confirm: { counts: 'POST /login/mfa-confirm', usual: '30/minute;300/hour' },
  register: { counts: 'POST /register', usual: '30/minute;200/hour' },
  verify: { counts: 'POST /verify', usual: '30/minute;300/hour' },
  resend_verification: { counts: 'POST /resend-verification', usual: '10/minute;60/hour' },
  forgot_password: { counts: 'POST /forgot-password', usual: '10/minute;60/hour' },
  reset_password: { counts: 'POST /reset-password', usual: '30/minute;300/hour' },
  accept_invitation: { counts: 'POST /accept-invitation', usual: '30/minute;300/hour' },
  change_password: { counts: 'POST /change-password', usual: '30/minute;300/hour' },
  change_email: { counts: 'POST /change-email', usual: '10/minute;60/hour' },
  confirm_email_change: { counts: 'POST /confirm-email-change', usual: '30/minute;300/hour' },
  delete_account: { counts: 'DELETE /account', usual: '30/minute;300/hour' },
  phone_start: { counts: 'POST /phone/start', usual: '10/minute;60/hour' },
  phone_confirm: { counts: 'POST /phone/confirm', usual: '30/minute;300/hour' },
  phone_disable: { counts: 'DELETE /phone', usual: '30/minute;300/hour' },
  login_mfa_send: { counts: 'POST /login/mfa-send', usual: '10/minute;60/hour' },
  reauthenticate: { counts: 'POST /reauthenticate', usual: '30/minute;300/hour' },
  // Each makes ten hashes.
  recovery_codes: { counts: 'POST /recovery-codes', usual: '5/minute;30/hour' },
  oauth_start: { counts: 'GET /oauth/{provider}/start', usual: '30/minute;300/hour' },
  introspect: { counts: 'POST /oauth2/introspect with wrong credentials' },
  oauth_exchange: { counts: 'POST /oauth/exchange', usual: '30/minute;300/hour' },
} satisfies Record<string, Limit>;

/** The name of a limit: its field is `<name>_rate_limit`. */
export type RouteLimit = keyof typeof ofCore | keyof typeof featureLimits;

export const everyLimit: Readonly<Record<RouteLimit, Limit>> = { ...ofCore, ...featureLimits };

export const routeLimitNames = Object.keys(everyLimit) as RouteLimit[];

type Fields = { [Name in RouteLimit as `${Name}_rate_limit`]: ReturnType<typeof limit> };

/** The fields of the limits (SPEC §8, CONTRACT §5). */
export const routeLimits = Object.fromEntries(
  Object.entries(everyLimit).map(([name, { counts }]) => [`${name}_rate_limit`, limit().describe(counts)]),
) as Fields;
