import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseLimitExpression } from '../../src/config/limit-expression.ts';
import { camelCase, environmentName, type Field, fields } from '../../src/config/names.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { Secret } from '../../src/config/secret.ts';
import { dataEncryptionKey } from '../support/app.ts';
import { type Given, load } from './support.ts';

/** A manifest of trusted documents, without any. */
const emptyManifest = join(import.meta.dirname, '../fixtures/no-documents.json');

/** A folder with messages in Dutch. */
const localeDir = join(import.meta.dirname, '../fixtures/locales');

/** A value that each field takes and that is not its default; by name, by ending, or by kind. */
const samples: Record<string, unknown> = {
  base_url: 'https://accounts.example.org',
  home_url: 'https://www.example.org/app',
  theme_css_url: '/brand/theme.css',
  brand_logo_url: 'https://cdn.example/logo.svg',
  support_contact: 'help@example.org',
  password_breach_url: 'https://ranges.example/range',
  trusted_proxies: ['10.0.0.0/8', '192.0.2.7'],
  log_level: 'debug',
  locales: ['nl', 'en'],
  default_locale: 'nl',
  locale_dirs: [localeDir],
  cors_origins: ['https://a.example', 'https://b.example:8443'],
  database_url: 'postgresql+asyncpg://u:p@db.example:5432/accounts',
  mongodb_database: 'accounts',
  rate_limit_store_url: 'rediss://:p@store.example:6380/2',
  rate_limit_key_prefix: 'acme:limits',
  database_schema: 'accounts',
  table_prefix: 'acme_',
  jwt_algorithm: 'HS512',
  transport: 'bearer',
  data_encryption_key: dataEncryptionKey,
  data_encryption_key_previous: 'an_older_key_for_tests_of_32_bytes_base64_0',
  mfa_required: 'superusers',
  totp_tolerance_steps: 0,
  graphql_trusted_documents: emptyManifest,
  mail_store: 'database',
  audit_store: 'database',
  roles: ['editor', 'billing.reader'],
  issuer: 'http://localhost:8000/accounts',
  signing_algorithms: ['RS256', 'EdDSA'],
  signing_key_lead_seconds: 90,
  api_key_prefix: 'acme',
  access_token_ttl_seconds: 90,
  'passkeys.rp_id': 'example.org',
  'passkeys.origins': ['http://localhost:8000', 'https://app.example.org'],
  'email.backend': 'ses',
  'email.from_address': 'accounts@example.org',
  'sms.backend': 'sns',
  'sms.from_number': '+15551234567',
  'sms.allowed_prefixes': ['+44', '+353'],
  'oauth.google_redirect_uri': 'https://app.example/callback',
  'oauth.google_issuer': 'https://issuer.example',
  'oauth.existing_email_policy': 'create_new',
  'oauth.unknown_sign_in_age': 'old',
  forward_auth_hosts: ['localhost:9000', '127.0.0.1:9001'],
};

function sampleOf({ path, kind, default: byDefault }: Field): unknown {
  const name = path.join('.');
  if (name in samples) return samples[name];
  if (path[0] === 'urls') return `https://app.example/#/${path[1]}/{token}`;
  if (name.endsWith('_rate_limit')) return '7/minute;70/2 hours';
  if (name.endsWith('_collection')) return `other_${name}`;
  if (name.endsWith('_prefix')) return `/other/${name.replace('_', '-')}`;
  if (kind === 'flag') return !byDefault;
  if (kind === 'whole') return 9;
  if (kind === 'list') return ['./one', './two'];
  return `a text for ${name}, of 32 characters or more`;
}

/** Fields that are refused alone. */
const companions: Record<string, Pair | Pair[]> = {
  locales: [['locale_dirs'], [localeDir]],
  default_locale: [
    [['locales'], ['en', 'nl']],
    [['locale_dirs'], [localeDir]],
  ],
  ses_access_key_id: [['email', 'ses_secret_access_key'], 'companion'],
  ses_secret_access_key: [['email', 'ses_access_key_id'], 'companion'],
  enable_totp: [['data_encryption_key'], dataEncryptionKey],
  enable_tokens: [['data_encryption_key'], dataEncryptionKey],
  enable_forward_auth: [
    [['enable_browser_sessions'], true],
    [['trusted_proxies'], ['127.0.0.1']],
  ],
  mfa_required: [['enable_sms_2fa'], true],
  enumeration_safe_registration: [
    [['mail_store'], 'database'],
    [['data_encryption_key'], dataEncryptionKey],
  ],
  mail_store: [['data_encryption_key'], dataEncryptionKey],
  notify_new_sign_in: [
    [['enable_session_list'], true],
    [['data_encryption_key'], dataEncryptionKey],
  ],
  lockout_spares_known_places: [
    [['notify_new_sign_in'], true],
    [['enable_session_list'], true],
    [['data_encryption_key'], dataEncryptionKey],
  ],
  session_idle_ttl_seconds: [['enable_session_list'], true],
  max_sessions_per_user: [['enable_session_list'], true],
};

type Pair = [path: string[], value: unknown];

const companionsOf = (more: Pair | Pair[]): Pair[] =>
  typeof more[0]?.[0] === 'string' ? [more as Pair] : (more as Pair[]);

const asText = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value));

const variables = (pairs: Pair[], write = asText) =>
  Object.fromEntries(pairs.map(([path, value]) => [environmentName(path), write(value)]));

const lines = (pairs: Pair[]) =>
  Object.entries(variables(pairs))
    .map(([key, text]) => `${key}=${text}\n`)
    .join('');

const toml = (pairs: Pair[]) =>
  pairs.map(([path, value]) => `${path.join('.')} = ${JSON.stringify(value)}\n`).join('');

const argumentsOf = (pairs: Pair[]): ConfigInput => {
  const top: Record<string, unknown> = {};
  for (const [path, value] of pairs) {
    const [first, second] = path.map(camelCase) as [string, string?];
    top[first] = second === undefined ? value : { ...(top[first] as object), [second]: value };
  }
  return top;
};

function valueAt(config: Config, path: string[]): unknown {
  const found = path.map(camelCase).reduce<unknown>((at, name) => (at as Config)[name as 'email'], config);
  return found instanceof Secret ? found.reveal() : found;
}

describe('every field', () => {
  const sources: [string, (pairs: Pair[]) => Given][] = [
    ['the TOML file', pairs => ({ toml: toml(pairs) })],
    ['the environment', pairs => ({ env: variables(pairs) })],
    [
      'the environment, lists as JSON',
      pairs => ({ env: variables(pairs, v => (Array.isArray(v) ? JSON.stringify(v) : String(v))) }),
    ],
    ['the secrets file', pairs => ({ secrets: lines(pairs) })],
    ['an argument', pairs => ({ arguments: argumentsOf(pairs) })],
  ];

  test.each(sources)('can be set by %s', (_, source) => {
    const found: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const field of fields) {
      const { path } = field;
      const name = path.join('.');
      const sample = sampleOf(field);
      const more = companions[path.at(-1)!];
      const pairs: Pair[] = [[path, sample], ...(more ? companionsOf(more) : [])];
      const given = source(pairs);
      // The tests' own signing secret would win over a file.
      const env = name === 'jwt_secret' ? { SVC_JWT_SECRET: undefined, ...given.env } : given.env;
      wanted[name] = name.endsWith('_rate_limit') ? parseLimitExpression(sample as string) : sample;
      found[name] = valueAt(load({ ...given, env }).config, path);
    }
    expect(found).toEqual(wanted);
  });

  test('has a description and a name in the environment of its own', () => {
    expect(fields.filter(field => field.description === '')).toEqual([]);
    expect(new Set(fields.map(field => environmentName(field.path))).size).toBe(fields.length);
  });
});
