import { parse, patch } from '@decimalturn/toml-patch';
import { CommandError } from './errors.ts';
import { setLines } from './toml-lines.ts';

/** What `svc oauth setup` writes. */
export interface OAuthSettings {
  clientId: string;
  clientSecret: string;
  autoLink: boolean;
}

const secretName = 'SVC_OAUTH__GOOGLE_CLIENT_SECRET';

/**
 * The TOML text with the provider switched on, and every other byte as it was.
 * @throws {CommandError} when another linking policy stands there
 */
export function mergeToml(text: string, { clientId, autoLink }: OAuthSettings): string {
  const settings = parse(text) as Record<string, unknown> & { oauth?: Record<string, unknown> };
  const policy = settings.oauth?.existing_email_policy ?? 'auto_link_verified';
  if (autoLink && policy !== 'auto_link_verified') {
    throw new CommandError(
      `oauth.existing_email_policy is "${policy}", which contradicts linking by verified addresses: remove it first.`,
    );
  }
  settings.enable_oauth = true;
  settings.oauth = { ...settings.oauth, google_client_id: clientId, auto_link_verified_emails: autoLink };
  const table = 'oauth';
  const lines = [
    { key: 'enable_oauth', value: true },
    { table, key: 'google_client_id', value: clientId },
    { table, key: 'auto_link_verified_emails', value: autoLink },
  ];
  // The package understands every way to write TOML, but tidies lines that it was not asked to touch.
  return setLines(text, lines, settings) ?? patch(text, settings);
}

/** The secrets text with the client secret in it, in its own line endings; an earlier one is replaced where it stands. */
export function mergeSecrets(text: string, { clientSecret }: OAuthSettings): string {
  const line = `${secretName}=${clientSecret}`;
  const present = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${secretName}[ \\t]*=[^\\r\\n]*`, 'gm');
  // A function, because a replacement text would give `$` a meaning.
  if (text.search(present) >= 0) return text.replace(present, () => line);
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${line}${end}`;
}

/** The lines that change, as `-` and `+` lines; secrets are not shown. */
export function showChange(name: string, before: string, after: string): string {
  const [old, fresh] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const removed = old.filter(line => !fresh.includes(line)).map(line => `- ${withoutSecret(line)}`);
  const added = fresh
    .filter(line => line !== '' && !old.includes(line))
    .map(line => `+ ${withoutSecret(line)}`);
  const lines = [...removed, ...added];
  return [`${name}:`, ...(lines.length > 0 ? lines : ['  no change'])].join('\n');
}

const withoutSecret = (line: string) =>
  line.replace(/^(\s*(?:export\s+)?SVC_\w*SECRET\w*\s*=).*/, '$1<hidden>');
