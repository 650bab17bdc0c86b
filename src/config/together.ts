import { parseDatabaseUrl } from './database-url.ts';

/** Something wrong between fields. */
export interface TogetherProblem {
  path: string[];
  message: string;
}

type Raw = Record<string, unknown> & Partial<Record<'email' | 'sms' | 'oauth', Record<string, unknown>>>;

const storageNames = {
  user_collection: 'users',
  pending_collection: 'pending_registrations',
  blacklist_collection: 'token_blacklist',
  login_attempt_collection: 'login_attempts',
  mfa_code_collection: 'mfa_codes',
  oauth_identity_collection: 'oauth_identities',
  oauth_state_collection: 'oauth_states',
};

/** What can only be seen by looking at several fields; run on what was given, so that it is told with all the rest. */
export function checkTogether({ email = {}, sms = {}, oauth = {}, ...top }: Raw): TogetherProblem[] {
  const problems: TogetherProblem[] = [];
  const problem = (path: string, message: string) => problems.push({ path: path.split('.'), message });
  const isSet = (value: unknown) => value !== undefined && value !== '';

  if (email.backend === 'smtp' && !isSet(email.smtp_host)) {
    problem('email.smtp_host', 'is required with the smtp backend');
  }
  const keys = ['ses_access_key_id', 'ses_secret_access_key'].filter(key => isSet(email[key]));
  if (isSet(email.ses_profile) && keys.length > 0) {
    problem(
      'email.ses_profile',
      "can't be set together with ses_access_key_id and ses_secret_access_key: choose one",
    );
  }
  if (keys.length === 1) {
    const missing = keys[0] === 'ses_access_key_id' ? 'ses_secret_access_key' : 'ses_access_key_id';
    problem(`email.${missing}`, `is required when ${keys[0]} is set`);
  }

  if (sms.backend === 'twilio') {
    for (const key of ['from_number', 'twilio_account_sid', 'twilio_auth_token']) {
      if (!isSet(sms[key])) problem(`sms.${key}`, 'is required with the twilio backend');
    }
  }

  const policy = oauth.existing_email_policy;
  if (oauth.auto_link_verified_emails === true && isSet(policy) && policy !== 'auto_link_verified') {
    problem(
      'oauth.existing_email_policy',
      'contradicts auto_link_verified_emails = true: remove one of them',
    );
  }

  const seen = new Map<string, string>();
  for (const [key, byDefault] of Object.entries(storageNames)) {
    const name = String(top[key] ?? byDefault).toLowerCase();
    const other = seen.get(name);
    if (other) problem(key, `must differ from ${other}`);
    seen.set(name, key);
  }

  if (typeof top.database_url === 'string' && top.database_url !== '') {
    try {
      parseDatabaseUrl(top.database_url, 'svc');
    } catch (error) {
      problem('database_url', (error as Error).message);
    }
  }
  return problems;
}
