import { z } from 'zod';
import { type FeaturesDerived, featureSettings } from '../feature-parts.ts';
import type { Camel } from '../names.ts';
import { bySetting } from '../tables/index.ts';
import type { ByLanguage } from '../words/by-language.ts';
import { shippedTags } from '../words/tags.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { isMongodbName } from './mongodb-url.ts';
import { parseRedisUrl } from './redis-url.ts';
import { email } from './schema/email.ts';
import {
  addressRange,
  assetUrl,
  contact,
  dataKey,
  defaultBaseUrl,
  duration,
  flag,
  identifier,
  keyPrefix,
  languageTag,
  line,
  lineByLanguage,
  list,
  origin,
  outsideOfTests,
  parsedSecret,
  prefix,
  schemaName,
  secret,
  storageName,
  tablePrefix,
  whole,
} from './schema/fields.ts';
import { footerLink } from './schema/footer-links.ts';
import { routeLimits } from './schema/limits.ts';
import { oauth, urls } from './schema/oauth.ts';
import { resource } from './schema/resources.ts';
import { sms } from './schema/sms.ts';
import { stricter } from './schema/stricter.ts';
import { roles, userField } from './schema/user-fields.ts';
import type { Secret } from './secret.ts';
import { withTlsFiles } from './tls-files.ts';

const secretLength = 'must have at least 32 characters: `svc init` generates one';
const jwtSecret = () =>
  secret(
    z.string('must be a string').min(1, "can't be empty: `svc init` generates one").min(32, secretLength),
  );

/** Every field of the configuration, its default, and its purpose: docs/configuration.md is generated from it. */
export const ConfigSchema = z.strictObject({
  app_name: line().default('Gatehouse').describe('Name of the application in pages and emails'),
  base_url: origin().default(defaultBaseUrl).describe('Origin of links in emails and of `redirect_to`'),
  behind_proxy: flag(false).describe(
    'A proxy stands in front; `svc serve` then requires `trusted_proxies`, a host configures its own trust',
  ),
  host: line().default('127.0.0.1').describe('`svc serve`: address to listen on'),
  port: whole(0, 65_535).default(8000).describe('`svc serve`: port to listen on'),
  trusted_proxies: list(addressRange()).describe(
    'Addresses or ranges of proxies whose X-Forwarded-For is trusted',
  ),
  keep_alive_seconds: whole(1, 3600)
    .default(65)
    .describe('`svc serve`: how long idle connections are kept open; must exceed the time of the proxy'),
  shutdown_delay_seconds: whole(0, 600)
    .default(0)
    .describe('`svc serve`: after SIGTERM, `/readyz` is 503 and requests are still served for this time'),
  log_level: z
    .enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error')
    .default('info')
    .describe('`svc serve`: lowest level that is written'),
  cors_origins: list(origin()).describe('Origins of browser applications that may call the API cross-origin'),

  database_url: parsedSecret(withTlsFiles(url => parseDatabaseUrl(url)))
    .prefault('sqlite+aiosqlite:///./svc.db')
    .describe('Selects the backend by its scheme: SQLite, PostgreSQL or MongoDB'),
  ...outsideOfTests({
    database_pool_size: whole(1, 1000)
      .optional()
      .describe(
        'Maximum connections of one process; 10 on PostgreSQL and 20 on MongoDB when unset. SQLite has one',
      ),
    mongodb_database: line()
      .refine(isMongodbName, "can't contain / \\ . @ $ quotes or spaces")
      .default('svc')
      .describe('MongoDB: used when the URL names no database'),
  }),
  ...bySetting(({ usualName, description }) => storageName(usualName).describe(description)),
  migration_collection: identifier()
    .optional()
    .describe('… of the applied schema steps; by default the name of the user table and `_migrations`'),
  table_prefix: tablePrefix()
    .optional()
    .describe('Prefix of every default table or collection name; a name that is set is used unchanged'),
  ...outsideOfTests({
    database_schema: schemaName()
      .optional()
      .describe(
        'PostgreSQL: the schema that holds the tables; by default the first schema of the search path',
      ),
  }),

  locales: z
    .array(languageTag(), 'must be a list')
    .min(1, "can't be empty")
    .refine(tags => new Set(tags).size === tags.length, "can't contain a language twice")
    .default(['en'])
    .describe(
      `Languages that people can choose: ${shippedTags().join(', ')}, and those with a file in \`locale_dirs\``,
    ),
  default_locale: languageTag().default('en').describe('The one for whom none of them is known'),
  locale_dirs: list(line()).describe(
    'Folders with files of messages: `pt-BR.arb` is a language, `de.arb` replaces messages of the one that is shipped',
  ),

  api_prefix: prefix('/api/auth').describe('Path of the API'),
  ui_prefix: prefix('/account').describe('Path of the pages'),
  static_prefix: prefix('/svc-static').describe('Path of style sheets and scripts'),
  home_url: assetUrl('/app')
    .optional()
    .describe('Target of the header of the pages and of "Continue": a path or a URL of your application'),
  theme_css_url: assetUrl().optional().describe("The host's style sheet, loaded after the bundled ones"),
  brand_logo_url: assetUrl().optional().describe('Logo in the header of the pages'),
  brand_tagline: lineByLanguage()
    .optional()
    .describe('Line below the name in the header of the pages; or a table of it by language'),
  support_contact: contact().optional().describe('Address or URL for help, shown in emails and pages'),
  extra_template_dirs: list(line()).describe('Template directories searched before the bundled one'),
  extra_static_dirs: list(line()).describe('Reserved'),

  jwt_secret: jwtSecret().describe('Signs every token; `svc init` generates one'),
  jwt_secret_previous: jwtSecret()
    .optional()
    .describe('Tokens signed with it are still accepted; none are issued'),
  data_encryption_key: dataKey()
    .optional()
    .describe('Encrypts what must be read back, such as TOTP secrets; `svc init` generates one'),
  data_encryption_key_previous: dataKey()
    .optional()
    .describe('Data that were encrypted with it can still be read; nothing is encrypted with it'),
  jwt_algorithm: z
    .enum(['HS256', 'HS384', 'HS512'], 'must be HS256, HS384 or HS512')
    .default('HS256')
    .describe('HMAC algorithm of the signatures'),
  jwt_audience: line().optional().describe('Claim `aud` of every token, checked when set'),
  jwt_ttl_seconds: duration(7200).describe('Lifetime of a session'),
  transport: z
    .enum(['bearer'], 'must be bearer; cookie was removed in 0.7.0')
    .default('bearer')
    .describe('How session tokens are sent'),

  require_verification: flag(true).describe(
    'New addresses must be confirmed before their owners can sign in',
  ),
  allow_registration: flag(true).describe('Whether everybody can create an account'),
  enable_password_reset: flag(true).describe('Password reset by email'),
  enable_account_deletion: flag(true).describe('Users may delete their account'),
  enable_admin_router: flag(false).describe('Administration for superusers'),
  enable_ui_router: flag(false).describe('Server-rendered pages'),
  enable_sms_2fa: flag(false).describe('Second factor by text message'),
  password_min_length: whole(8, 64).default(8).describe('The fewest characters of a new password'),
  password_blocklist: flag(false).describe(
    'New passwords must not be common ones, nor the name of their owner or of the service',
  ),
  ...outsideOfTests({
    max_consecutive_failures: whole(0, 10_000)
      .default(0)
      .describe(
        'So many wrong passwords, or codes, in a row, and only a reset by email or an unlock helps; 0 means no limit',
      ),
  }),
  mfa_required: z
    .enum(['off', 'superusers', 'everyone'], 'must be off, superusers or everyone')
    .default('off')
    .describe('Whose accounts must have a second factor or a passkey'),
  ...stricter,
  enable_session_list: flag(false).describe('People can see their sessions and end each of them'),
  session_idle_ttl_seconds: whole(0)
    .default(0)
    .describe('Sessions unused for so long are refused; needs `enable_session_list`; 0 means never'),
  max_sessions_per_user: whole(0, 10_000)
    .default(0)
    .describe(
      'Beyond this number the session unused for longest ends; needs `enable_session_list`; 0 means no limit',
    ),
  enable_oauth: flag(false).describe('Sign-in with identity providers'),
  mail_store: z
    .enum(['memory', 'database'], 'must be memory or database')
    .default('memory')
    .describe(
      'Where emails and text messages wait for delivery; in the database they survive the end of a process',
    ),
  enable_graphql: flag(true).describe('GraphQL at `{api_prefix}/graphql`'),
  graphql_ide: flag(false).describe('GraphiQL in the browser; on in `svc serve --dev`'),
  graphql_introspection: flag(false).describe('Introspection; on in `svc serve --dev`'),
  enable_metrics: flag(false).describe('`svc serve`: metrics on a separate listener'),
  metrics_host: line().default('127.0.0.1').describe('Address of the metrics listener'),
  metrics_port: whole(0, 65_535).default(9464).describe('Port of the metrics listener'),

  verification_token_ttl_seconds: duration(86_400).describe('Lifetime of a verification link'),
  password_reset_token_ttl_seconds: duration(1800).describe('Lifetime of a reset link'),
  email_change_token_ttl_seconds: duration(3600).describe('Lifetime of an address-change link'),
  mfa_pending_token_ttl_seconds: duration(600).describe(
    'Time for the second step of login and of phone set-up',
  ),
  ...outsideOfTests({
    login_lockout_threshold: whole(1, 1000)
      .default(5)
      .describe('Failed logins within the window that lock an account'),
    login_lockout_window_seconds: duration(900).describe('The window of the lockout; it slides'),
    rate_limit_disabled: flag(false).describe(
      'Switches only the lockout off, no other limit: wrong passwords and codes are not counted',
    ),
    limits_disabled: flag(false).describe(
      'For tests: switches rate limits, lockout and caps off; `svc serve` then listens on loopback only',
    ),
    mails_per_address_per_hour: whole(1, 1000).default(5).describe('Cap: emails of one kind to one address'),
    text_messages_per_phone_per_hour: whole(1, 1000).default(5).describe('Cap: text messages to one phone'),
    text_messages_per_hour: whole(0, 100_000)
      .default(0)
      .describe('Cap: text messages of the whole installation; 0 means no cap'),
  }),
  sms_code_length: whole(6, 10).default(6).describe('Digits of a texted code'),
  sms_code_ttl_seconds: whole(1, 600).default(300).describe('Lifetime of a texted code'),
  sms_code_max_attempts: whole(1, 1000).default(5).describe('Attempts that one code allows'),
  ...outsideOfTests({
    login_max_per_minute: whole(1)
      .optional()
      .describe('Deprecated and without effect: use `login_rate_limit`'),
    login_max_per_hour: whole(1).optional().describe('Deprecated and without effect: use `login_rate_limit`'),

    ...routeLimits,
    rate_limit_store_url: parsedSecret(withTlsFiles(parseRedisUrl))
      .optional()
      .describe('`redis://…` or `rediss://…` for rate-limit counts; the configured database when unset'),
    rate_limit_key_prefix: keyPrefix()
      .optional()
      .describe('Prefix of every key in Redis; derived from `app_name` when unset'),
  }),

  roles: roles.describe('Names of the roles that administrators and the host can give to users'),
  user_fields: z.record(z.string(), userField).default({}),
  footer_links: z.record(z.string(), footerLink).default({}),
  issuer: z
    .string('must be a string')
    .optional()
    .describe('Issuer of tokens that other services check: `base_url` when unset, or a path of its origin'),
  resources: z.record(z.string(), resource).default({}),
  ...featureSettings,

  email: email.prefault({}),
  sms: sms.prefault({}),
  oauth: oauth.prefault({}),
  urls: urls.prefault({}),
});

type CamelKeys<T> = { [K in keyof T as K extends string ? Camel<K> : never]: CamelTables<T[K]> };
/** A table with camelCase names; in a table of tables the configuration chooses the names, which stay. */
type CamelTables<T> = T extends Secret | readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? { [Name in keyof T]: CamelTables<T[Name]> }
      : CamelKeys<T>
    : T;
type Table = 'email' | 'sms' | 'oauth' | 'urls';
type Filled<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>;

/** The fields as they were parsed, in camelCase, before the defaults that follow from other fields. */
export type ParsedConfig = CamelTables<z.output<typeof ConfigSchema>>;

/**
 * The configuration of an instance: names in camelCase, rate limits and the database's URL parsed, and every derived default
 * filled in.
 */
export type Config = Omit<
  Filled<ParsedConfig, 'migrationCollection' | 'rateLimitKeyPrefix'>,
  | 'email'
  | 'oauth'
  | 'urls'
  | 'userFields'
  | 'footerLinks'
  | 'brandTagline'
  | 'issuer'
  | 'resources'
  | keyof FeaturesDerived
> &
  FeaturesDerived & {
    email: Filled<ParsedConfig['email'], 'fromName'>;
    oauth: Filled<ParsedConfig['oauth'], 'googleRedirectUri' | 'existingEmailPolicy'>;
    urls: Required<ParsedConfig['urls']>;
    /** By their names as they are written. */
    userFields: Record<string, Labelled<Filled<ParsedConfig['userFields'][string], 'label'>>>;
    /** By their names. */
    footerLinks: Record<string, Labelled<ParsedConfig['footerLinks'][string]>>;
    brandTagline: string | ByLanguage | undefined;
    issuer: string;
    /** The APIs that check tokens, by their names. */
    resources: Record<string, Omit<ParsedConfig['resources'][string], 'label'> & { label: string }>;
  };

/** With its label in the default language, and in each one where the configuration has a table. */
type Labelled<T> = Omit<T, 'label'> & { label: string; labels?: ByLanguage };

type Given = CamelTables<z.input<typeof ConfigSchema>>;

/** The fields that a program may set, all optional; secrets as plain text. */
export type ConfigInput = Partial<Omit<Given, Table>> & { [K in Table]?: Partial<Given[K]> | undefined };
