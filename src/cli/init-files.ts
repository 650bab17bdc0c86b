import { randomBytes } from 'node:crypto';
import { everyLimit } from '../config/schema/limits.ts';
import type { Asked } from '../feature.ts';
import { everyFeature, type Features, features as known } from '../feature-parts.ts';
import {
  type Answers,
  type Feature,
  featureNames,
  features,
  type MailAnswers,
  type Stay,
  stays,
} from './answers.ts';

/** 64 random bytes, URL-safe (SPEC §1). */
const secretBytes = 64;

/** 32 random bytes for AES-256. */
const dataKeyBytes = 32;

/** Which optional packages of the written settings are installed. */
export type Installed = { limiter: boolean } & { readonly [Name in keyof Features]?: boolean };

/**
 * Returns the text of `svc.toml`; settings whose package is not installed are commented out.
 * @param isHost whether it is for an application that may embed Gatehouse, to which the pages then lead back
 */
export function tomlOf(
  { appName, baseUrl, supportContact, features, stay, mail }: Answers,
  installed: Installed,
  isHost = false,
): string {
  return `# Gatehouse configuration. docs/configuration.md lists every field; SVC_* in the environment wins over this file.
# Secrets (signing secret, database URL) belong in svc.secrets.env, not here.

app_name = ${quoted(appName)}
# The origin of links in emails.
base_url = ${quoted(baseUrl)}
# For whom tokens are. Another audience ends every session.
jwt_audience = ${quoted(new URL(baseUrl).origin)}
${lifetimeToml(stay, features)}
# Where people find help, an address or a page: emails about their account name it.
${supportContact ? '' : '# '}support_contact = ${quoted(supportContact || 'help@example.org')}
${isHost ? '# Where the header of the pages and "Continue" lead.\nhome_url = "/"\n' : ''}
${featureNames.map(name => featureToml(name, isWanted(name, features), installed)).join('\n')}

# After so many wrong passwords or codes in a row only a reset lets the owner in.
max_consecutive_failures = 100

# Emails and text messages wait in the database, so that none is lost with a process.
mail_store = "database"

${limitsToml(installed.limiter)}

[email]
# console prints emails instead of sending them; smtp and ses send.
backend = ${quoted(mail.backend)}
from_address = ${quoted(mail.fromAddress)}
${mailToml(mail)}${resourcesToml()}`;
}

/** An API is described where there is one, so the example is no setting. */
const resourcesToml = (): string =>
  everyFeature.some(({ usesResources }) => usesResources)
    ? `
# An API that checks tokens or keys (docs/tokens.md): take each # away. Its secret, for introspection alone, is
# SVC_RESOURCES__EXAMPLE__SECRET in svc.secrets.env.
# [resources.example]
# identifier = "https://api.example.org"
# scopes = { "example:read" = "Read the example", "example:write" = "Change the example" }
`
    : '';

/** Returns the text of `svc.secrets.env`, with a new signing secret and a new data encryption key. */
export function secretsOf({ databaseUrl, mail }: Answers): string {
  const password = mail.smtp?.password;
  return `# Keep this file out of version control. Only its owner can read it.
SVC_JWT_SECRET=${randomBytes(secretBytes).toString('base64url')}
# Encrypts what must be read back, such as TOTP secrets and emails that wait. Without it that is lost: back it up with the database.
SVC_DATA_ENCRYPTION_KEY=${randomBytes(dataKeyBytes).toString('base64url')}
SVC_DATABASE_URL=${databaseUrl}
${password ? `SVC_EMAIL__SMTP_PASSWORD=${enclosed(password)}\n` : ''}`;
}

/** Returns the same text without the secrets, for display. */
export const withoutSecrets = (text: string) =>
  text
    .replace(/^(SVC_\w*(?:SECRET|PASSWORD|KEY)=).*$/gm, '$1<hidden>')
    .replace(/(:\/\/[^:/\s]*:)[^@\s]*@/g, '$1<hidden>@');

/** Returns whether a feature is written as on: not where the one that it needs is off. */
function isWanted(name: Feature, answers: Answers['features']): boolean {
  const { needs }: Asked = features[name];
  return (
    answers[name] && (needs === undefined || featureNames.every(each => each !== needs || answers[each]))
  );
}

function featureToml(name: Feature, isOn: boolean, installed: Installed): string {
  const setting = `${name} = ${isOn}`;
  const owner = keysOf(known).find(each => name in known[each].asked);
  const needed = owner && known[owner].package;
  if (!isOn || !needed || installed[owner]) return setting;
  return `# ${features[name].label}: npm install ${needed.name}, then take the # away.\n# ${setting}`;
}

const keysOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];

/** Without the list of sessions a session has no idle limit: then it lives a day at most. */
function lifetimeToml(stay: Stay, { enable_session_list: canEndIdle }: Answers['features']): string {
  const { lifetime, idle } = stays[stay];
  if (idle === 0 || !canEndIdle)
    return `# How long people stay signed in.\njwt_ttl_seconds = ${Math.min(lifetime, stays.day.lifetime)}`;
  return `# How long people stay signed in, and after how long without use they no longer are.
jwt_ttl_seconds = ${lifetime}
session_idle_ttl_seconds = ${idle}`;
}

function limitsToml(active: boolean): string {
  const lines = Object.entries(everyLimit).flatMap(([route, { usual }]) =>
    usual === undefined ? [] : [`${route}_rate_limit = ${quoted(usual)}`],
  );
  if (active) return ['# Limits per client address.', ...lines].join('\n');
  const hint = '# Limits per client address: npm install rate-limiter-flexible, then uncomment these lines.';
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

/** JSON strings are valid TOML basic strings. */
const quoted = (value: string) => JSON.stringify(value);

/** Returns the value in quotes that it does not contain: a secrets file has no escapes. */
const enclosed = (value: string) => (value.includes('"') ? `'${value}'` : `"${value}"`);
