import { createHash } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../errors.ts';
import { everyFeature } from '../feature-parts.ts';
import { type ByLanguage, textIn } from '../words/by-language.ts';
import { fieldsOf, recordValueOf } from '../zod-shape.ts';
import type { DatabaseUrl } from './database-url.ts';
import { environmentName } from './environment-name.ts';
import { isOfKubernetes } from './kubernetes.ts';
import { localeFileProblems } from './locales.ts';
import { camelCase, type Field, fieldAt, isForTests } from './names.ts';
import { placeholderIn } from './placeholders.ts';
import { deriveResources } from './resources.ts';
import { type Config, type ConfigInput, ConfigSchema, type ParsedConfig } from './schema.ts';
import { fromArguments, fromSecretsFile, fromTomlFile, fromVariables, readFile } from './sources.ts';
import { storageNamesOf } from './storage-names.ts';
import type { Entry, SourceResult } from './tables.ts';
import { checkTogether } from './together.ts';
import { labelOf } from './user-fields.ts';
import { warningsOf } from './warnings.ts';

/** The sources of a configuration; each has a default. */
export interface ConfigSources {
  arguments?: ConfigInput;
  /** Default: the environment of the process. */
  env?: Record<string, string | undefined>;
  /** The working directory, in which `svc.toml` and `svc.secrets.env` are looked for. */
  cwd?: string;
  /** The TOML file to read when `SVC_CONFIG` is not set and `./svc.toml` does not exist. */
  configFile?: string;
  /** The secrets file; has precedence over `SVC_SECRETS`. */
  secretsFile?: string;
  /**
   * Returns what stands in for the rest where only what shapes the application is taken from the configuration file: for
   * the tests of a host (CONTRACT §14). Then neither a secrets file nor the environment sets anything.
   * @param file all that the file says
   */
  standIns?: (file: Raw) => ConfigInput;
  /** The problems of parts that are given beside the configuration, to be reported with its own. */
  problems?: ConfigProblem[];
}

export interface LoadedConfig {
  config: Config;
  filesRead: string[];
  /** Settings that work but may be mistakes; whole sentences. */
  warnings: string[];
}

/**
 * Reads the five sources of SPEC §2.5 in their order: arguments, environment, secrets file, TOML file, defaults. Nothing
 * else reads configuration files or the environment.
 * @throws {ConfigError} with everything that is wrong, at once
 */
export function loadConfig(sources: ConfigSources = {}): LoadedConfig {
  const { env = process.env, cwd = process.cwd(), standIns } = sources;
  const at = (path: string) => (isAbsolute(path) ? path : join(cwd, path));
  const named = (path: string | undefined) => (path ? at(path) : undefined);

  const ownToml = readFile(named(env.SVC_CONFIG), at('svc.toml'));
  const givenToml = named(sources.configFile);
  const isGiven = !ownToml.file && ownToml.problems.length === 0 && givenToml !== undefined;
  const toml = isGiven ? readFile(givenToml, givenToml) : ownToml;
  const secretsPath = named(sources.secretsFile) ?? named(env.SVC_SECRETS);
  const secrets = standIns ? noFile : readFile(secretsPath, at('svc.secrets.env'));

  const nothing = { entries: [], problems: [], warnings: [] };
  const fromToml = toml.file ? fromTomlFile(toml.file) : nothing;
  const fromSecrets = secrets.file ? fromSecretsFile(secrets.file, cwd) : nothing;
  const results: SourceResult[] = [
    ...(standIns
      ? [ofApplication(fromToml), fromArguments(standIns(merge(fromToml.entries)))]
      : [fromToml, fromSecrets, fromVariables(withoutKubernetes(env), 'environment', cwd)]),
    fromArguments(sources.arguments ?? {}),
  ];
  const entries = results.flatMap(result => result.entries);
  const unread = [...toml.problems, ...secrets.problems];
  const problems = [...unread, ...results.flatMap(result => result.problems)];

  const raw = merge(entries);
  const parsed = ConfigSchema.safeParse(raw, { reportInput: true });
  // A missing value may be in the file that could not be read.
  const isComplete = unread.length === 0 && !results.some(result => result.isUnread);
  const place = `${secrets.path}${secrets.file ? '' : ', which does not exist (`svc init` creates both)'}`;
  const given = new Set(entries.map(entry => entry.source));
  const unreadFields = new Set(results.flatMap(result => result.unreadFields ?? []));
  problems.push(
    ...schemaProblems(parsed, entries, place)
      .filter(p => isComplete || given.has(p.source))
      .filter(p => p.source !== 'not set' || !unreadFields.has(p.key)),
  );
  problems.push(...misplacedSecrets(fromToml.entries), ...localeFileProblems(raw));
  problems.push(...(sources.problems ?? []));
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);

  const config = derive(parsed.data, raw);
  return {
    config,
    filesRead: [
      ...[toml.file, secrets.file].flatMap(file => file?.path ?? []),
      ...results.flatMap(({ filesRead = [] }) => filesRead),
    ],
    warnings: [...fromToml.warnings, ...fromSecrets.warnings, ...warningsOf(config, raw)],
  };
}

const noFile = { path: 'a secrets file', file: undefined, problems: [] };

/** Returns what a file says of the application itself. */
const ofApplication = ({ entries, ...result }: SourceResult): SourceResult => ({
  ...result,
  entries: entries.filter(({ path }) => isForTests(path)),
});

/** Returns a problem for each secret that the configuration file has and others may not read there. */
const misplacedSecrets = (entries: readonly Entry[]): ConfigProblem[] =>
  entries
    .filter(({ path }) => fieldAt(path)?.isKeptOutOfFiles)
    .map(({ path, source, key }) => {
      const madeBy = fieldAt(path)?.madeBy;
      const place = `set ${environmentName(path)} in the environment or the secrets file`;
      const message = `must not be in the configuration file: ${place}${madeBy ? `, with what \`${madeBy}\` prints` : ''}`;
      return { source, key, message };
    });

/** Values by the names of their fields, unparsed. */
export type Raw = Record<string, unknown>;

const withoutKubernetes = (env: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(env).filter(([name, value = '']) => !isOfKubernetes(name, value)));

/** Returns the values by field; later entries override earlier ones. */
function merge(entries: Entry[]): Raw {
  // Without prototypes, because names that the configuration chooses are among the keys.
  const raw: Raw = Object.create(null);
  for (const { path, value } of entries) {
    const names = value === undefined ? path : path.slice(0, -1);
    let table = raw;
    for (const name of names) {
      table[name] ??= Object.create(null);
      table = table[name] as Raw;
    }
    if (value !== undefined) table[path.at(-1)!] = value;
  }
  return raw;
}

/** Returns the last entry of each field: the one that counts. */
const effective = (entries: Entry[]): Iterable<Entry> =>
  new Map(entries.map(entry => [entry.path.join('.'), entry])).values();

/**
 * Returns the problems that the schema and the checks between fields find, with the names used by the source of each
 * value. For a missing value it names where it can be set; `secretsPlace` is that of a secret.
 */
function schemaProblems(
  parsed: z.ZodSafeParseResult<unknown>,
  entries: Entry[],
  secretsPlace: string,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const add = (path: string[], message: string) => {
    const key = path.join('.');
    const entry =
      entries.findLast(e => e.path.every((name, i) => name === path[i])) ??
      // A problem of a whole table, of which a source has set a field.
      entries.findLast(e => path.every((name, i) => name === e.path[i]));
    const field = fieldAt(path);
    const problem = entry
      ? { source: entry.source, key: keyBelow(entry, path), message }
      : field && field.default === undefined
        ? { source: 'not set', key, message: `${message}: set ${placesOf({ ...field, path })}` }
        : { source: 'defaults', key, message };
    if (!problems.some(p => p.source === problem.source && p.key === problem.key)) problems.push(problem);
  };
  /** Returns the key of an entry, or, of a named table, that of what is missing in it. */
  const keyBelow = ({ path: own, value, source, key }: Entry, path: string[]) => {
    const missing = value === undefined ? path.slice(own.length) : [];
    return [key, ...missing.map(name => (source === 'arguments' ? camelCase(name) : name))].join('.');
  };
  const placesOf = ({ path, isSecret }: Field) =>
    `${environmentName(path)} in the environment or ${isSecret ? `in ${secretsPlace}` : 'the field in the configuration file'}`;

  for (const { path, value } of effective(entries)) {
    const placeholder = fieldAt(path)?.isSecret && typeof value === 'string' ? placeholderIn(value) : null;
    if (placeholder !== null) {
      add(path, `still contains the placeholder <${placeholder}>: replace it with the real value`);
    }
  }
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

/** Returns the database with this name, where it is one of MongoDB and its URL names none. */
const named = (url: DatabaseUrl, name: string): DatabaseUrl =>
  url.backend === 'mongodb' && url.database === '' ? { ...url, database: name } : url;

/** Returns the configuration with camelCase names, and with the defaults that follow from other fields. */
function derive(parsed: z.output<typeof ConfigSchema>, raw: Raw): Config {
  const camel = camelTables(parsed, ConfigSchema) as ParsedConfig;
  const { email, oauth, urls, userFields, ...top } = camel;
  const { base_url, api_prefix, ui_prefix, app_name } = parsed;
  const page = (name: string) => `${base_url}${ui_prefix}/${name}`;
  const policy = oauth.autoLinkVerifiedEmails ? 'auto_link_verified' : 'refuse';
  return {
    ...top,
    databaseUrl: top.databaseUrl.with(database => named(database, parsed.mongodb_database)),
    rateLimitKeyPrefix: parsed.rate_limit_key_prefix ?? keyPrefixOf(app_name),
    ...Object.fromEntries(
      Object.entries(storageNamesOf(raw)).map(([field, name]) => [camelCase(field), name]),
    ),
    email: { ...email, fromName: email.fromName ?? app_name },
    oauth: {
      ...oauth,
      googleRedirectUri: oauth.googleRedirectUri ?? `${base_url}${api_prefix}/oauth/google/callback`,
      existingEmailPolicy: oauth.existingEmailPolicy ?? policy,
    },
    urls: {
      verify: urls.verify ?? page('verify'),
      resetPassword: urls.resetPassword ?? page('reset-password'),
      acceptInvitation: urls.acceptInvitation ?? page('accept-invitation'),
      confirmEmailChange: urls.confirmEmailChange ?? page('confirm-email-change'),
      notMe: urls.notMe ?? page('not-me'),
      login: urls.login ?? page('login'),
      oauthComplete: urls.oauthComplete ?? page('oauth-complete'),
      account: urls.account ?? page('me'),
    },
    userFields: Object.fromEntries(
      Object.entries(userFields).map(([name, field]) => [
        name,
        { ...field, ...labelsOf(field.label ?? labelOf(name), parsed.default_locale) },
      ]),
    ),
    footerLinks: Object.fromEntries(
      Object.entries(camel.footerLinks).map(([name, link]) => [
        name,
        { ...link, ...labelsOf(link.label, parsed.default_locale) },
      ]),
    ),
    ...deriveResources(camel),
    ...Object.assign({}, ...everyFeature.map(feature => feature.derive?.(camel))),
  } as Config;
}

/** Returns a label in the default language, and in each one where there is a table. */
const labelsOf = (label: string | ByLanguage, defaultLocale: string) =>
  typeof label === 'string' ? { label } : { label: textIn(label, defaultLocale), labels: label };

/** Returns a name as part of a key: its Latin letters and digits, or its hash if it has none. */
function keyPrefixOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 50) || `app-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

/** Returns a value with camelCase names in its tables; names that the configuration chooses stay as they are. */
function camelTables(value: unknown, schema: z.core.$ZodType): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const named = recordValueOf(schema);
  const fields = fieldsOf(schema);
  if (!named && !fields) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      named ? [key, camelTables(inner, named)] : [camelCase(key), camelTables(inner, fields![key]!)],
    ),
  );
}
