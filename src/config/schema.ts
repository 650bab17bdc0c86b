import { z } from 'zod';
import { isMongodbName } from './database-url.ts';
import { email } from './schema/email.ts';
import {
  addressRange,
  assetUrl,
  duration,
  flag,
  limit,
  line,
  list,
  origin,
  prefix,
  secret,
  storageName,
  whole,
} from './schema/fields.ts';
import { oauth, urls } from './schema/oauth.ts';
import { sms } from './schema/sms.ts';

const secretLength = 'must have at least 32 characters: `svc init` makes one';
const jwtSecret = () =>
  secret(z.string('must be a text').min(1, "can't be empty: `svc init` makes one").min(32, secretLength));

/** Every field of the configuration, its default, and what it is for: docs/configuration.md is made from this. */
export const ConfigSchema = z.strictObject({
  app_name: line().default('Gatehouse').describe('Shown in pages and mails'),
  base_url: origin()
    .default('http://localhost:8000')
    .describe('Origin of links in mails and of `redirect_to`'),
  behind_proxy: flag(false).describe('Informational; the host configures which proxies it trusts'),
  host: line().default('127.0.0.1').describe('`svc serve`: where to listen'),
  port: whole(0, 65_535).default(8000).describe('`svc serve`: on which port'),
  trusted_proxies: list(addressRange()).describe(
    '`svc serve`: addresses or ranges whose X-Forwarded-For is believed',
  ),
  log_level: z
    .enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error')
    .default('info')
    .describe('`svc serve`: which records to write'),
  cors_origins: list(origin()).describe('Origins of browser apps that may call the API from elsewhere'),

  database_url: secret()
    .prefault('sqlite+aiosqlite:///./svc.db')
    .describe('Selects the backend by its scheme: SQLite, PostgreSQL or MongoDB'),
  mongodb_database: line()
    .refine(isMongodbName, "can't hold / \\ . @ $ quotes or spaces")
    .default('svc')
    .describe('MongoDB: used when the URL names no database'),
  user_collection: storageName('users').describe('Table or collection of users'),
  pending_collection: storageName('pending_registrations').describe('… of pending registrations'),
  blacklist_collection: storageName('token_blacklist').describe('… of logged-out tokens'),
  login_attempt_collection: storageName('login_attempts').describe('… of failed logins'),
  mfa_code_collection: storageName('mfa_codes').describe('… of texted codes'),
  oauth_identity_collection: storageName('oauth_identities').describe('… of provider identities'),
  oauth_state_collection: storageName('oauth_states').describe('… of external sign-ins under way'),

  api_prefix: prefix('/api/auth').describe('Path of the API'),
  ui_prefix: prefix('/account').describe('Path of the pages'),
  static_prefix: prefix('/svc-static').describe('Path of style sheets and scripts'),
  theme_css_url: assetUrl().optional().describe("A style sheet of the host's, loaded after the bundled ones"),
  brand_logo_url: assetUrl().optional().describe('A logo for the header of the pages'),
  brand_tagline: line().optional().describe('A line below the name in the header of the pages'),
  extra_template_dirs: list(line()).describe('Template directories searched before the bundled one'),
  extra_static_dirs: list(line()).describe('Reserved'),

  jwt_secret: jwtSecret().describe('Signs every token; `svc init` makes one'),
  jwt_secret_previous: jwtSecret()
    .optional()
    .describe('Tokens signed with it are still accepted; none are issued'),
  jwt_algorithm: z
    .enum(['HS256', 'HS384', 'HS512'], 'must be HS256, HS384 or HS512')
    .default('HS256')
    .describe('HMAC of the signatures'),
  jwt_audience: line().optional().describe('Claim `aud` of every token, checked when set'),
  jwt_ttl_seconds: duration(7200).describe('Lifetime of a session'),
  transport: z
    .enum(['bearer'], 'must be bearer; cookie was removed in 0.7.0')
    .default('bearer')
    .describe('How session tokens travel'),

  require_verification: flag(true).describe(
    'New addresses must be confirmed before their owners can sign in',
  ),
  allow_registration: flag(true).describe('Whether strangers can make accounts'),
  enable_password_reset: flag(true).describe('Reset by mail'),
  enable_account_deletion: flag(true).describe('Users may delete their account'),
  enable_admin_router: flag(false).describe('Administration for superusers'),
  enable_ui_router: flag(false).describe('Server-rendered pages'),
  enable_sms_2fa: flag(false).describe('Second factor by text message'),
  enable_oauth: flag(false).describe('Sign-in with an OpenID Connect provider'),
  enable_graphql: flag(true).describe('GraphQL at `{api_prefix}/graphql`'),
  graphql_ide: flag(false).describe('GraphiQL in the browser; on in `svc serve --dev`'),
  graphql_introspection: flag(false).describe('Introspection; on in `svc serve --dev`'),
  enable_metrics: flag(false).describe('`svc serve`: metrics on a listener of their own'),
  metrics_host: line().default('127.0.0.1').describe('Where metrics are served'),
  metrics_port: whole(0, 65_535).default(9464).describe('On which port metrics are served'),

  verification_token_ttl_seconds: duration(86_400).describe('Lifetime of a verification link'),
  password_reset_token_ttl_seconds: duration(1800).describe('Lifetime of a reset link'),
  email_change_token_ttl_seconds: duration(3600).describe('Lifetime of an address-change link'),
  mfa_pending_token_ttl_seconds: duration(600).describe(
    'Time for the second step of login and of phone set-up',
  ),
  login_lockout_threshold: whole(1, 1000)
    .default(5)
    .describe('Failed logins within the window that lock an account'),
  login_lockout_window_seconds: duration(900).describe('The window of the lockout; it slides'),
  rate_limit_disabled: flag(false).describe('Switches the lockout off'),
  mails_per_address_per_hour: whole(1, 1000).default(5).describe('Mails of one kind to one address'),
  text_messages_per_phone_per_hour: whole(1, 1000).default(5).describe('Text messages to one phone'),
  sms_code_length: whole(4, 10).default(6).describe('Digits of a texted code'),
  sms_code_ttl_seconds: duration(300).describe('Lifetime of a texted code'),
  sms_code_max_attempts: whole(1, 1000).default(5).describe('Guesses that one code allows'),
  login_max_per_minute: whole(1).optional().describe('Deprecated and without effect: use `login_rate_limit`'),
  login_max_per_hour: whole(1).optional().describe('Deprecated and without effect: use `login_rate_limit`'),

  login_rate_limit: limit().describe('POST /login, per client address'),
  login_mfa_confirm_rate_limit: limit().describe('POST /login/mfa-confirm'),
  register_rate_limit: limit().describe('POST /register'),
  forgot_password_rate_limit: limit().describe('POST /forgot-password'),
  reset_password_rate_limit: limit().describe('POST /reset-password'),
  verify_rate_limit: limit().describe('POST /verify'),
  resend_verification_rate_limit: limit().describe('POST /resend-verification'),
  change_password_rate_limit: limit().describe('POST /change-password'),
  change_email_rate_limit: limit().describe('POST /change-email'),
  confirm_email_change_rate_limit: limit().describe('POST /confirm-email-change'),
  delete_account_rate_limit: limit().describe('DELETE /account'),
  phone_start_rate_limit: limit().describe('POST /phone/start'),
  phone_confirm_rate_limit: limit().describe('POST /phone/confirm'),
  phone_disable_rate_limit: limit().describe('DELETE /phone'),
  oauth_start_rate_limit: limit().describe('GET /oauth/{provider}/start'),
  oauth_exchange_rate_limit: limit().describe('POST /oauth/exchange'),
  rate_limit_store_url: secret()
    .optional()
    .describe('`redis://…` for counts; the configured database when unset'),

  email: email.prefault({}),
  sms: sms.prefault({}),
  oauth: oauth.prefault({}),
  urls: urls.prefault({}),
});

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;
type CamelKeys<T> = { [K in keyof T as K extends string ? Camel<K> : never]: T[K] };
type CamelTables<T> = CamelKeys<{ [K in keyof T]: K extends Table ? CamelKeys<T[K]> : T[K] }>;
type Table = 'email' | 'sms' | 'oauth' | 'urls';
type Filled<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>;

type Parsed = CamelTables<z.output<typeof ConfigSchema>>;

/** The configuration of an instance: names in camelCase, limits taken apart, and every derived default filled in. */
export type Config = Omit<Parsed, 'email' | 'oauth' | 'urls'> & {
  email: Filled<Parsed['email'], 'fromName'>;
  oauth: Filled<Parsed['oauth'], 'googleRedirectUri' | 'existingEmailPolicy'>;
  urls: Required<Parsed['urls']>;
};

type Given = CamelTables<z.input<typeof ConfigSchema>>;

/** What a program may set: any of the fields, secrets as plain text. */
export type ConfigInput = Partial<Omit<Given, Table>> & { [K in Table]?: Partial<Given[K]> | undefined };
