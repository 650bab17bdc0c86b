import { longestCovered } from '../config/warnings.ts';
import type { Condition, Need, Test } from './needs.ts';

// The needs of requirements, as settings. Two requirements that need one setting have it written alike.

const isOn: Test = { oneOf: [true] };

const on = (key: string): Need => ({ key, is: isOn, write: true, breaks: false });
const off = (key: string): Need => ({ key, is: { oneOf: [false] }, write: false, breaks: true });

/** While features are on. */
export const during = {
  oauth: { key: 'enable_oauth', is: isOn },
  texts: { key: 'enable_sms_2fa', is: isOn },
  apps: { key: 'enable_totp', is: isOn },
  passkeys: { key: 'enable_passkeys', is: isOn },
  tokens: { key: 'enable_tokens', is: isOn },
  browserSessions: { key: 'enable_browser_sessions', is: isOn },
} as const satisfies Record<string, Condition>;

/** While recovery codes are given out. */
export const duringCodes: readonly Condition[] = [during.apps, during.passkeys];

export const lockout: Need = off('rate_limit_disabled');
export const limits: Need = off('limits_disabled');
export const lockoutThreshold: Need = {
  key: 'login_lockout_threshold',
  is: { atMost: 20 },
  write: 5,
  breaks: 1000,
};
export const lockoutWindow: Need = {
  key: 'login_lockout_window_seconds',
  is: { atLeast: 300 },
  write: 900,
  breaks: 1,
};
export const codeAttempts: Need = { key: 'sms_code_max_attempts', is: { atMost: 10 }, write: 5, breaks: 500 };
export const consecutive: Need = {
  key: 'max_consecutive_failures',
  is: { between: [1, 100] },
  write: 100,
  breaks: 0,
};

export const blocklist: Need = on('password_blocklist');
export const coveredLength: Need = {
  key: 'password_min_length',
  is: { atMost: longestCovered },
  write: 8,
  breaks: 15,
};
export const longPasswords: Need = {
  key: 'password_min_length',
  is: { atLeast: 15 },
  write: 15,
  breaks: 8,
};
export const breachCheck: Need = {
  key: 'password_breach_check',
  is: { noneOf: ['off'] },
  write: 'online',
  breaks: 'off',
};

export const everyoneTwoFactors: Need = {
  key: 'mfa_required',
  is: { oneOf: ['everyone'] },
  write: 'everyone',
  breaks: 'off',
};
export const twoFactorsFromOutside: Need = { ...on('oauth.enforce_mfa'), when: during.oauth };
export const apps: Need = on('enable_totp');
export const passkeys: Need = on('enable_passkeys');
export const noTexts: Need = off('enable_sms_2fa');
export const oneStep: Need = {
  key: 'totp_tolerance_steps',
  is: { atMost: 0 },
  write: 0,
  breaks: 1,
  when: during.apps,
};
export const pendingTenMinutes: Need = {
  key: 'mfa_pending_token_ttl_seconds',
  is: { atMost: 600 },
  write: 600,
  breaks: 3600,
  when: during.texts,
};

/** Emails that leave: `console` prints them. */
export const mails: Need = {
  key: 'email.backend',
  is: { oneOf: ['smtp', 'ses'] },
  write: 'smtp',
  isExample: true,
  breaks: 'console',
  orFact: 'mailer',
};
/** Each account has an address at which its owner reads. */
export const mailboxes: Need = {
  key: 'oauth.existing_email_policy',
  is: { noneOf: ['create_new'] },
  write: 'refuse',
  breaks: 'create_new',
  when: during.oauth,
};
export const newPlaces: Need = on('notify_new_sign_in');
export const contact: Need = {
  key: 'support_contact',
  is: { isSet: true },
  write: 'help@example.org',
  isExample: true,
  breaks: '',
};

export const nobodyIsTold: Need = on('enumeration_safe_registration');
export const verification: Need = on('require_verification');
export const verificationLifetime: Need = {
  key: 'verification_token_ttl_seconds',
  is: { atMost: 604_800 },
  write: 86_400,
  breaks: 31_536_000,
};
export const reset: Need = on('enable_password_reset');
export const resetLifetime: Need = {
  key: 'password_reset_token_ttl_seconds',
  is: { atMost: 86_400 },
  write: 1800,
  breaks: 2_592_000,
};

export const replacedSession: Need = on('replace_session_at_sign_in');
export const sessionList: Need = on('enable_session_list');
export const idleLimit: Need = {
  key: 'session_idle_ttl_seconds',
  is: { between: [1, 3600] },
  write: 3600,
  breaks: 0,
};
/** At most a day, or thirty days. */
export const lifetime = (most: 86_400 | 2_592_000): Need => ({
  key: 'jwt_ttl_seconds',
  is: { atMost: most },
  write: 7200,
  breaks: 31_536_000,
});

export const recentForAccount: Need = on('recent_sign_in_for_account');
export const recentForLinks: Need = { ...on('recent_sign_in_for_links'), when: during.oauth };
export const recentForSessions: Need = on('recent_sign_in_for_sessions');
export const recentForAdministration: Need = on('recent_sign_in_for_administration');
export const recent: Need = {
  key: 'recent_sign_in_seconds',
  is: { atMost: 3600 },
  write: 900,
  breaks: 86_400,
};
export const recentAdministration: Need = {
  key: 'administration_sign_in_seconds',
  is: { atMost: 3600 },
  write: 3600,
  breaks: 86_400,
};

export const audience: Need = {
  key: 'jwt_audience',
  is: { isSet: true },
  write: { from: 'base_url' },
  breaks: '',
};

export const codeChallenge: Need = on('oauth.require_code_challenge');
export const oldWhereUnknown: Need = {
  key: 'oauth.unknown_sign_in_age',
  is: { oneOf: ['old'] },
  write: 'old',
  breaks: 'recent',
};
const aDay: Test = { between: [1, 86_400] };
export const ageAtProviders: readonly Need[] = [
  {
    key: 'oauth.google_max_age_seconds',
    is: aDay,
    write: 86_400,
    breaks: 0,
    when: { key: 'oauth.google_client_id', is: { isSet: true } },
  },
  { key: 'oauth.providers.*.max_age_seconds', is: aDay, write: 86_400, breaks: 0 },
];
export const fewScopes: Need = {
  key: 'oauth.providers.*.scopes',
  is: { within: ['openid', 'email', 'name', 'user:email'] },
  write: '',
  isExample: true,
  breaks: ['openid', 'email', 'profile'],
};

export const auditStore: Need = {
  key: 'audit_store',
  is: { oneOf: ['database'] },
  write: 'database',
  breaks: 'log',
};
export const auditKept: Need = {
  key: 'audit_retention_days',
  is: { atLeast: 36_500 },
  write: 36_500,
  breaks: 365,
};

export const pages: Need = on('enable_ui_router');
export const noBrowserSessions: Need = off('enable_browser_sessions');
