import type { FeatureLimit } from '../../feature.ts';
import { featureLimits } from '../../feature-parts.ts';
import { limit } from './fields.ts';

/** The core's limits per client address, and the requests that each of them counts; an operation names its own. */
const counted = {
  login: 'POST /login, per client address',
  login_mfa_confirm: 'POST /login/mfa-confirm',
  register: 'POST /register',
  forgot_password: 'POST /forgot-password',
  reset_password: 'POST /reset-password',
  accept_invitation: 'POST /accept-invitation',
  verify: 'POST /verify',
  resend_verification: 'POST /resend-verification',
  change_password: 'POST /change-password',
  change_email: 'POST /change-email',
  confirm_email_change: 'POST /confirm-email-change',
  delete_account: 'DELETE /account',
  phone_start: 'POST /phone/start',
  phone_confirm: 'POST /phone/confirm',
  phone_disable: 'DELETE /phone',
  login_mfa_send: 'POST /login/mfa-send',
  reauthenticate: 'POST /reauthenticate',
  recovery_codes: 'POST /recovery-codes',
  oauth_start: 'GET /oauth/{provider}/start',
  introspect: 'POST /oauth2/introspect with wrong credentials',
  oauth_exchange: 'POST /oauth/exchange',
};

/** The name of a limit: its field is `<name>_rate_limit`. */
export type RouteLimit = keyof typeof counted | keyof typeof featureLimits;

const ofFeatures: Readonly<Record<string, FeatureLimit>> = featureLimits;
const all: [name: string, requests: string][] = [
  ...Object.entries(counted),
  ...Object.entries(ofFeatures).map(([name, { counts }]): [string, string] => [name, counts]),
];

export const routeLimitNames = all.map(([name]) => name) as RouteLimit[];

type Fields = { [Name in RouteLimit as `${Name}_rate_limit`]: ReturnType<typeof limit> };

/** The fields of the limits (SPEC §8, CONTRACT §5). */
export const routeLimits = Object.fromEntries(
  all.map(([name, requests]) => [`${name}_rate_limit`, limit().describe(requests)]),
) as Fields;
