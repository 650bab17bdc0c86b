import { everyFeature, featureSettings } from '../feature-parts.ts';
import { footerLinkProblems } from './footer-links.ts';
import { localeProblems } from './locales.ts';
import { collidingPrefixes, type TogetherProblem } from './prefixes.ts';
import { providerProblems } from './providers.ts';
import { resourceProblems } from './resources.ts';
import { roleIndexNamesOf, searchNameOf, storageNamesOf } from './storage-names.ts';
import { userFieldProblems } from './user-fields.ts';

type Raw = Record<string, unknown> & Partial<Record<'email' | 'sms' | 'oauth', Record<string, unknown>>>;

/** Returns the problems between several fields. Runs on the given values, so that all problems are reported at once. */
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

  problems.push(...providerProblems(oauth));
  problems.push(...strongSignInProblems(top));
  problems.push(...userFieldProblems(top));
  problems.push(...footerLinkProblems(top.footer_links));
  problems.push(...localeProblems(top));
  problems.push(...resourceProblems(top));
  problems.push(...everyFeature.flatMap(feature => feature.problems?.(top) ?? []));
  problems.push(...missingFlags(top));
  problems.push(...collidingPrefixes(top));
  if (isPortShared(top)) problem('metrics_port', `must differ from port, which is ${top.port} too`);
  for (const [key, message] of nameProblems(top)) problem(key, message);
  return problems;
}

/**
 * Returns whether `svc serve` and its metrics would listen on one port, which only one of them can have. An application that
 * embeds Gatehouse sets no port.
 */
function isPortShared(given: Raw): boolean {
  const { enable_metrics, host, port, metrics_host, metrics_port = 9464 } = given;
  if (enable_metrics !== true || !Number(port) || Number(port) !== Number(metrics_port)) return false;
  const [one, other] = [host, metrics_host].map(address => String(address ?? '127.0.0.1'));
  return (
    one === other ||
    [one, other].includes('::') ||
    ([one, other].includes('0.0.0.0') && !`${one}${other}`.includes(':'))
  );
}

/** Returns the flags of other features that features need and that are off. */
const missingFlags = (given: Raw): TogetherProblem[] =>
  everyFeature.flatMap(({ needs }) => {
    if (!needs || given[needs.flag] !== true) return [];
    const missing = needs.flags.filter(flag => Object.hasOwn(featureSettings, flag) && given[flag] !== true);
    return missing.map(flag => ({ path: [needs.flag], message: `needs ${flag} = true` }));
  });

/** Returns what the flags of strong sign-in need and do not have. */
function strongSignInProblems(given: Raw): TogetherProblem[] {
  const problems: TogetherProblem[] = [];
  const problem = (key: string, message: string) => problems.push({ path: [key], message });
  const [needsKey] = [
    ...everyFeature.flatMap(({ encryptsWith: flag = '' }) => (given[flag] === true ? [flag] : [])),
    ...(given.mail_store === 'database' ? ['mail_store = database'] : []),
  ];
  if (needsKey !== undefined && !given.data_encryption_key) {
    problem(
      'data_encryption_key',
      `is required with ${needsKey}: make one with \`openssl rand -base64 32 | tr +/ -_\`, or by \`svc init\``,
    );
  }
  const policy = given.mfa_required;
  const ofFeatures = everyFeature.flatMap(({ factor }) => factor?.flag ?? []);
  const hasFactor = [...ofFeatures, 'enable_sms_2fa'].some(flag => given[flag] === true);
  if (policy !== undefined && policy !== 'off' && !hasFactor) {
    const flags = [ofFeatures.join(', '), 'enable_sms_2fa'].filter(Boolean).join(' or ');
    problem('mfa_required', `needs a factor: switch ${flags} on`);
  }
  if (given.enumeration_safe_registration === true) {
    if (given.require_verification === false)
      problem('require_verification', 'must be true with enumeration_safe_registration');
    if (given.mail_store !== 'database')
      problem('mail_store', 'must be database with enumeration_safe_registration');
  }
  for (const key of ['session_idle_ttl_seconds', 'max_sessions_per_user']) {
    if (given[key] && given.enable_session_list !== true) problem(key, 'needs enable_session_list = true');
  }
  return problems;
}

/** Returns the names of tables that are used twice, or that Gatehouse needs for the index of the users' texts. */
function nameProblems(given: Raw): [key: string, message: string][] {
  const problems: [string, string][] = [];
  const names = storageNamesOf(given);
  const search = searchNameOf(names.user_collection).toLowerCase();
  const roleIndex = roleIndexNamesOf(names.user_collection).table.toLowerCase();
  const isSqlite = /^sqlite/i.test(String(given.database_url ?? 'sqlite'));
  for (const key of ['table_prefix', ...Object.keys(names)]) {
    if (isSqlite && /^sqlite_/i.test(String(given[key]))) {
      problems.push([key, 'must not begin with sqlite_, which belongs to SQLite']);
    }
  }
  const seen = new Map<string, string>();
  for (const [key, value] of Object.entries(names)) {
    const name = value.toLowerCase();
    const other = seen.get(name);
    if (other) problems.push([key, `must differ from ${other}`]);
    else if (name === search || name.startsWith(`${search}_`)) {
      problems.push([key, `must differ from ${search}, the index of the user table`]);
    } else if (name === roleIndex) {
      problems.push([key, `must differ from ${roleIndex}, the index of roles`]);
    }
    seen.set(name, key);
  }
  return problems;
}
