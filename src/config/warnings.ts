import { everyFeature } from '../feature-parts.ts';
import { snakeCase } from '../names.ts';
import { isSecureSite } from './schema/fields.ts';
import type { Config } from './schema.ts';

/** The greatest minimum length for which the blocklist has 3,000 passwords; a test counts them. */
export const longestCovered = 9;

/** Returns which of `[urls]` links in emails and redirects lead to. */
export function usedLinks(config: Config): (keyof Config['urls'])[] {
  const on = everyFeature.filter(feature => feature.isOn(config));
  const led = new Set(on.flatMap(({ leadsTo = [] }) => leadsTo));
  const used: [key: keyof Config['urls'], isUsed: boolean][] = [
    ['verify', config.requireVerification],
    ['resetPassword', config.enablePasswordReset],
    ['confirmEmailChange', true],
    ['acceptInvitation', config.enableAdminRouter],
    ['notMe', led.has('not_me')],
    ['login', config.enableOauth || led.has('login')],
    ['oauthComplete', config.enableOauth],
    ['account', config.enableOauth || led.has('account')],
  ];
  return used.filter(([, isUsed]) => isUsed).map(([key]) => key);
}

/** Returns warnings about settings that work but may not be intended. */
export function warningsOf(config: Config, raw: Record<string, unknown>): string[] {
  const warnings: string[] = [];
  const urls = (raw.urls ?? {}) as Record<string, unknown>;
  const on = everyFeature.filter(feature => feature.isOn(config));
  const unset = usedLinks(config)
    .map(snakeCase)
    .filter(key => urls[key] === undefined)
    .map(key => `urls.${key}`);
  if (!config.enableUiRouter && unset.length > 0) {
    warnings.push(
      `The pages are off (enable_ui_router) and ${unset.join(', ')} ${unset.length > 1 ? 'are' : 'is'} not set, so links in emails lead to pages that do not exist. Set the URLs of your own pages, or turn the pages on.`,
    );
  }
  if (!hasRouteLimit(config) && !config.limitsDisabled)
    warnings.push(
      'No *_rate_limit is set, so nothing limits how many requests an address sends: svc init writes limits that suit most.',
    );
  if (config.rateLimitDisabled)
    warnings.push('rate_limit_disabled is on: nothing limits how often passwords are guessed.');
  if (config.maxConsecutiveFailures > 0 && !config.enablePasswordReset) {
    warnings.push(
      'max_consecutive_failures is set and enable_password_reset is off: only an administrator or svc user unlock helps an owner whose password was blocked.',
    );
  }
  if (config.passwordBlocklist && config.passwordMinLength > longestCovered) {
    warnings.push(
      `password_min_length is ${config.passwordMinLength}: fewer than 3,000 passwords of the blocklist are so long, so it refuses little. Use password_breach_check as well.`,
    );
  }
  if (Object.keys(config.resources).length > 0 && !on.some(({ usesResources }) => usesResources)) {
    warnings.push('[resources] is set and has no effect without enable_tokens or enable_api_keys.');
  }
  warnings.push(...everyFeature.flatMap(feature => feature.warnings?.(config) ?? []));
  if (config.limitsDisabled) {
    warnings.push(
      'limits_disabled is on: no limit per client address, no lockout and no cap applies. It is for tests only.',
    );
  }
  const { googleClientId, googleClientSecret, providers } = config.oauth;
  const others = Object.keys(providers).length;
  // One of the two alone is a mistake; without both there may be other providers.
  const isIncomplete = Boolean(googleClientId) !== Boolean(googleClientSecret);
  if (config.enableOauth && (isIncomplete || (!googleClientId && others === 0))) {
    const missing = [
      ...(googleClientId ? [] : ['oauth.google_client_id']),
      ...(googleClientSecret ? [] : ['oauth.google_client_secret']),
    ];
    const what = others > 0 ? 'google stays off' : 'external sign-in stays off';
    warnings.push(
      `enable_oauth is on, but ${what} without ${missing.join(' and ')}: svc oauth setup writes them.`,
    );
  }
  for (const [name, { kind, trustEmail, tenant = 'common' }] of Object.entries(providers)) {
    if (kind === 'microsoft' && trustEmail && /^(common|organizations|consumers)$/i.test(tenant)) {
      warnings.push(
        `oauth.providers.${name}.trust_email is on for accounts of every tenant, whose administrators can give them any address: set tenant to your own, or take trust_email away.`,
      );
    }
  }
  for (const key of ['login_max_per_minute', 'login_max_per_hour']) {
    if (raw[key] !== undefined)
      warnings.push(`${key} is deprecated and has no effect: use login_rate_limit.`);
  }
  if (config.databaseSchema !== undefined && config.databaseUrl.parsed().backend !== 'postgresql') {
    warnings.push('database_schema has no effect: only PostgreSQL has schemas. Use table_prefix.');
  }
  if (!isSecureSite(config.baseUrl)) {
    warnings.push(`base_url is ${config.baseUrl}: links in emails use plain http.`);
  }
  return warnings;
}

const hasRouteLimit = (config: Config): boolean =>
  Object.entries(config).some(
    ([name, items]) => name.endsWith('RateLimit') && (items as unknown[]).length > 0,
  );
