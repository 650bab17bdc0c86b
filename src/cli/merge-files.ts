import { parse, patch } from '@decimalturn/toml-patch';
import { environmentName } from '../config/names.ts';
import { CommandError } from './errors.ts';
import { withLines } from './lines.ts';

/** The values that `svc oauth setup` writes. */
export interface OAuthSettings {
  clientId: string;
  /** For Apple, the private key in PEM. */
  clientSecret: string;
  autoLink: boolean;
  /** The provider; absent for google, whose fields are in `[oauth]` itself. */
  provider?: {
    name: string;
    kind: string;
    /** Its further fields that are not secret. */
    fields: Record<string, string>;
  };
}

/** Returns the variable that holds the secret of the provider. */
const secretNameOf = ({ provider }: OAuthSettings): string => {
  if (!provider) return 'SVC_OAUTH__GOOGLE_CLIENT_SECRET';
  const field = provider.kind === 'apple' ? 'private_key' : 'client_secret';
  return environmentName(['oauth', 'providers', provider.name, field]);
};

type Tables = Record<string, Record<string, unknown>>;

/**
 * Returns the TOML text with the provider switched on; other keys, comments, their order and the line ends are unchanged.
 * A further provider changes the linking policy, which is that of all, only to switch it on.
 * @throws {CommandError} when the text has another linking policy, or Google in another place
 */
export function mergeToml(text: string, { clientId, autoLink, provider }: OAuthSettings): string {
  const settings = parse(text) as Record<string, unknown> & { oauth?: Record<string, unknown> };
  if (Array.isArray(settings.oauth)) throw new CommandError('oauth must be a table: write [oauth].');
  const policy = settings.oauth?.existing_email_policy ?? 'auto_link_verified';
  if (autoLink && policy !== 'auto_link_verified') {
    throw new CommandError(
      `oauth.existing_email_policy is "${policy}", which contradicts linking by verified addresses: remove it first.`,
    );
  }
  const isThere = Boolean(settings.oauth?.google_client_id);
  const providers = (settings.oauth?.providers ?? {}) as Tables;
  if (provider?.name === 'google' && isThere) {
    throw new CommandError(
      'google is set up already, by oauth.google_client_id: remove that first, or choose another name.',
    );
  }
  if (!provider && providers.google) {
    throw new CommandError(
      'google is set up already, by [oauth.providers.google]: remove that first, or name it with --kind.',
    );
  }
  settings.enable_oauth = true;
  if (!provider) {
    const fields = { google_client_id: clientId, auto_link_verified_emails: autoLink };
    settings.oauth = { ...settings.oauth, ...fields };
    return patch(text, settings);
  }
  const { name, kind } = provider;
  const fields = { kind, client_id: clientId, ...provider.fields };
  if (autoLink) settings.oauth = { ...settings.oauth, auto_link_verified_emails: true };
  if (!providers[name]) {
    const appended = withTable(patch(text, settings), `oauth.providers.${name}`, fields);
    if (isToml(appended)) return appended;
    // The tables that it belongs to are written inline, and nothing can be added to them from outside.
  }
  const table = { ...providers[name], ...fields };
  settings.oauth = { ...settings.oauth, providers: { ...providers, [name]: table } };
  return patch(text, settings);
}

/** Returns the text with a table at its end, as documentation and people write it. */
function withTable(text: string, name: string, fields: Record<string, string>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return withLines(text, ['', `[${name}]`, ...lines]);
}

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the secrets text with the client secret in it, in its own line ends; an earlier secret is replaced in place. */
export function mergeSecrets(text: string, settings: OAuthSettings): string {
  const name = secretNameOf(settings);
  const secret = settings.clientSecret;
  // A secrets file has one line for each value.
  const value = secret.includes('\n') ? `"${secret.trim().replaceAll(/\r?\n/g, '\\n')}\\n"` : secret;
  const line = `${name}=${value}`;
  const present = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[^\\r\\n]*`, 'gm');
  // A function, because `$` has a meaning in a replacement text.
  return text.search(present) >= 0 ? text.replace(present, () => line) : withLines(text, [line]);
}
