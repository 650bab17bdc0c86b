import { randomBytes } from 'node:crypto';
import { type Answers, featureNames, type MailAnswers } from './answers.ts';

/** 64 random bytes, URL-safe (SPEC §1). */
const secretBytes = 64;

/** Limits per client address: wide enough for an office behind one address, too narrow for guessing. */
const limits = {
  login: '30/minute;300/hour',
  login_mfa_confirm: '30/minute;300/hour',
  register: '30/minute;200/hour',
  verify: '30/minute;300/hour',
  resend_verification: '10/minute;60/hour',
  forgot_password: '10/minute;60/hour',
  reset_password: '30/minute;300/hour',
  change_password: '30/minute;300/hour',
  change_email: '10/minute;60/hour',
  confirm_email_change: '30/minute;300/hour',
  delete_account: '30/minute;300/hour',
  phone_start: '10/minute;60/hour',
  phone_confirm: '30/minute;300/hour',
  phone_disable: '30/minute;300/hour',
  oauth_start: '30/minute;300/hour',
  oauth_exchange: '30/minute;300/hour',
};

/** The text of `svc.toml`; the limits stand in it as comments where nothing is there that could keep them. */
export function tomlOf({ appName, baseUrl, features, mail }: Answers, hasLimiter: boolean): string {
  return `# Gatehouse configuration. docs/configuration.md lists every field; SVC_* in the environment wins over this file.
# Secrets (signing secret, database URL) stand in svc.secrets.env, not here.

app_name = ${quoted(appName)}
# The origin of links in mails.
base_url = ${quoted(baseUrl)}

${featureNames.map(name => `${name} = ${features[name]}`).join('\n')}

${limitsToml(hasLimiter)}

[email]
# console prints mails instead of sending them; smtp and ses send.
backend = ${quoted(mail.backend)}
from_address = ${quoted(mail.fromAddress)}
${mailToml(mail)}`;
}

/** The text of `svc.secrets.env`, with a fresh signing secret. */
export function secretsOf({ databaseUrl, mail }: Answers): string {
  const password = mail.smtp?.password;
  return `# Keep this file out of version control. It is readable by its owner alone.
SVC_JWT_SECRET=${randomBytes(secretBytes).toString('base64url')}
SVC_DATABASE_URL=${databaseUrl}
${password ? `SVC_EMAIL__SMTP_PASSWORD=${enclosed(password)}\n` : ''}`;
}

/** The same with the secrets taken out, for people to look at. */
export const withoutSecrets = (text: string) =>
  text
    .replace(/^(SVC_\w*(?:SECRET|PASSWORD)=).*$/gm, '$1<hidden>')
    .replace(/(:\/\/[^:/\s]*:)[^@\s]*@/g, '$1<hidden>@');

function limitsToml(active: boolean): string {
  const lines = Object.entries(limits).map(([route, limit]) => `${route}_rate_limit = ${quoted(limit)}`);
  if (active) return ['# Limits per client address.', ...lines].join('\n');
  const hint = '# Limits per client address: npm install rate-limiter-flexible, then take the # away.';
  return [hint, ...lines.map(line => `# ${line}`)].join('\n');
}

function mailToml({ smtp, sesRegion }: MailAnswers): string {
  const lines = [
    ...(smtp ? [`smtp_host = ${quoted(smtp.host)}`, `smtp_port = ${smtp.port}`] : []),
    ...(smtp?.username ? [`smtp_username = ${quoted(smtp.username)}`] : []),
    ...(sesRegion ? [`ses_region = ${quoted(sesRegion)}`] : []),
  ];
  return lines.map(line => `${line}\n`).join('');
}

/** JSON strings are TOML basic strings. */
const quoted = (value: string) => JSON.stringify(value);

/** In quotes that are not in it: a secrets file has no escapes. */
const enclosed = (value: string) => (value.includes('"') ? `'${value}'` : `"${value}"`);
