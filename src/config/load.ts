import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../errors.ts';
import { camelCase, environmentName, type Field, fields } from './names.ts';
import { isLoopbackHost } from './schema/fields.ts';
import { type Config, type ConfigInput, ConfigSchema } from './schema.ts';
import {
  type Entry,
  fromArguments,
  fromSecretsFile,
  fromTomlFile,
  fromVariables,
  readFile,
  type SourceResult,
} from './sources.ts';
import { checkTogether } from './together.ts';

/** Where a configuration comes from; everything has its usual place. */
export interface ConfigSources {
  arguments?: ConfigInput;
  /** The process's own unless given. */
  env?: Record<string, string | undefined>;
  /** The working directory, where `svc.toml` and `svc.secrets.env` are looked for. */
  cwd?: string;
  /** Names the TOML file when neither `SVC_CONFIG` does nor `./svc.toml` is there. */
  configFile?: string;
  /** Names the secrets file; wins over `SVC_SECRETS`. */
  secretsFile?: string;
}

export interface LoadedConfig {
  config: Config;
  filesRead: string[];
  /** What works but deserves a look; whole sentences. */
  warnings: string[];
}

/**
 * Reads the five sources of SPEC §2.5 in their order: arguments, environment, secrets file, TOML file, defaults. The
 * only reader of files and of the environment.
 * @throws {ConfigError} with everything that is wrong, at once
 */
export function loadConfig(sources: ConfigSources = {}): LoadedConfig {
  const { env = process.env, cwd = process.cwd() } = sources;
  const at = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const named = (path: string | undefined) => (path ? at(path) : undefined);

  const ownToml = readFile(named(env.SVC_CONFIG), at('svc.toml'));
  const givenToml = named(sources.configFile);
  const isGiven = !ownToml.file && ownToml.problems.length === 0 && givenToml !== undefined;
  const toml = isGiven ? readFile(givenToml, givenToml) : ownToml;
  const secrets = readFile(named(sources.secretsFile) ?? named(env.SVC_SECRETS), at('svc.secrets.env'));

  const nothing = { entries: [], problems: [], warnings: [] };
  const fromSecrets = secrets.file ? fromSecretsFile(secrets.file) : nothing;
  const results: SourceResult[] = [
    toml.file ? fromTomlFile(toml.file) : nothing,
    fromSecrets,
    fromVariables(env, 'environment'),
    fromArguments(sources.arguments ?? {}),
  ];
  const entries = results.flatMap(result => result.entries);
  const unread = [...toml.problems, ...secrets.problems];
  const problems = [...unread, ...results.flatMap(result => result.problems)];

  const raw = merge(entries);
  const parsed = ConfigSchema.safeParse(raw, { reportInput: true });
  // What is missing may stand in the file that could not be read.
  const isComplete = unread.length === 0 && !results.some(result => result.isUnread);
  const place = `${secrets.path}${secrets.file ? '' : ', which is not there (`svc init` makes both)'}`;
  const given = new Set(entries.map(entry => entry.source));
  problems.push(...schemaProblems(parsed, entries, place).filter(p => isComplete || given.has(p.source)));
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);

  const config = derive(parsed.data);
  return {
    config,
    filesRead: [toml.file, secrets.file].flatMap(file => file?.path ?? []),
    warnings: [...fromSecrets.warnings, ...warningsOf(config, raw)],
  };
}

type Raw = Record<string, unknown>;

/** Later entries win. */
function merge(entries: Entry[]): Raw {
  const raw: Raw = {};
  for (const { path, value } of entries) {
    const [first, second] = path as [string, string?];
    if (second === undefined) raw[first] = value;
    else raw[first] = { ...(raw[first] as Raw | undefined), [second]: value };
  }
  return raw;
}

/**
 * What the schema and the checks between fields say, in the names of the source that gave the value. What nobody gave
 * is said with the places where it could stand; `secretsPlace` is that of a secret.
 */
function schemaProblems(
  parsed: z.ZodSafeParseResult<unknown>,
  entries: Entry[],
  secretsPlace: string,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const add = (path: string[], message: string) => {
    const key = path.join('.');
    const entry = entries.findLast(e => e.path.every((name, i) => name === path[i]));
    const field = fields.find(f => f.path.join('.') === key);
    const problem = entry
      ? { source: entry.source, key: entry.key, message }
      : field && field.default === undefined
        ? { source: 'not set', key, message: `${message}: set ${placesOf(field)}` }
        : { source: 'defaults', key, message };
    if (!problems.some(p => p.source === problem.source && p.key === problem.key)) problems.push(problem);
  };
  const placesOf = ({ path, isSecret }: Field) =>
    `${environmentName(path)} in the environment or ${isSecret ? `in ${secretsPlace}` : 'the field in the configuration file'}`;

  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.map(String);
    const item = path.at(-1)!;
    if (issue.code === 'invalid_type' && issue.input === undefined) {
      add(path, 'is required');
    } else if (/^\d+$/.test(item)) {
      add(path.slice(0, -1), `item ${Number(item) + 1}: ${issue.message}`);
    } else {
      add(path, issue.message);
    }
  }
  for (const { path, message } of checkTogether(merge(entries))) add(path, message);
  return problems;
}

/** Names in camelCase, and the defaults that follow from other fields. */
function derive(parsed: z.output<typeof ConfigSchema>): Config {
  const { email, oauth, urls, ...top } = camelKeys(parsed) as Record<string, unknown> & {
    email: Config['email'];
    oauth: Config['oauth'];
    urls: Partial<Config['urls']>;
  };
  const { base_url, api_prefix, ui_prefix, app_name } = parsed;
  const page = (name: string) => `${base_url}${ui_prefix}/${name}`;
  const policy = oauth.autoLinkVerifiedEmails ? 'auto_link_verified' : 'refuse';
  return {
    ...top,
    email: { ...email, fromName: email.fromName ?? app_name },
    oauth: {
      ...oauth,
      googleRedirectUri: oauth.googleRedirectUri ?? `${base_url}${api_prefix}/oauth/google/callback`,
      existingEmailPolicy: oauth.existingEmailPolicy ?? policy,
    },
    urls: {
      verify: urls.verify ?? page('verify'),
      resetPassword: urls.resetPassword ?? page('reset-password'),
      confirmEmailChange: urls.confirmEmailChange ?? page('confirm-email-change'),
      login: urls.login ?? page('login'),
      oauthComplete: urls.oauthComplete ?? page('oauth-complete'),
      account: urls.account ?? page('me'),
    },
  } as Config;
}

function camelKeys(object: object): Raw {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const isTable = Object.getPrototypeOf(value ?? 0) === Object.prototype;
      return [camelCase(key), isTable ? camelKeys(value) : value];
    }),
  );
}

/** What works but may not be meant. */
function warningsOf(config: Config, raw: Raw): string[] {
  const warnings: string[] = [];
  const urls = (raw.urls ?? {}) as Raw;
  const needed: [key: string, isNeeded: boolean][] = [
    ['verify', config.requireVerification],
    ['reset_password', config.enablePasswordReset],
    ['confirm_email_change', true],
    ['login', config.enableOauth],
    ['oauth_complete', config.enableOauth],
    ['account', config.enableOauth],
  ];
  const unset = needed
    .filter(([key, isNeeded]) => isNeeded && urls[key] === undefined)
    .map(([key]) => `urls.${key}`);
  if (!config.enableUiRouter && unset.length > 0) {
    warnings.push(
      `The pages are off (enable_ui_router) and ${unset.join(', ')} ${unset.length > 1 ? 'are' : 'is'} not set, so links in mails lead to pages that are not there.`,
    );
  }
  if (config.rateLimitDisabled)
    warnings.push('rate_limit_disabled is on: nothing limits how often passwords are guessed.');
  const { googleClientId, googleClientSecret } = config.oauth;
  if (config.enableOauth && !(googleClientId && googleClientSecret)) {
    const missing = [
      ...(googleClientId ? [] : ['oauth.google_client_id']),
      ...(googleClientSecret ? [] : ['oauth.google_client_secret']),
    ];
    warnings.push(
      `enable_oauth is on, but external sign-in stays off without ${missing.join(' and ')}: svc oauth setup writes them.`,
    );
  }
  for (const key of ['login_max_per_minute', 'login_max_per_hour']) {
    if (raw[key] !== undefined)
      warnings.push(`${key} is deprecated and has no effect: use login_rate_limit.`);
  }
  const { protocol, hostname } = new URL(config.baseUrl);
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    warnings.push(`base_url is ${config.baseUrl}: links in mails go over plain http.`);
  }
  return warnings;
}
