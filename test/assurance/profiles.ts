import type { Need, Requirement, Setting, Way } from '../../src/assurance/needs.ts';
import { requirements } from '../../src/assurance/requirements/index.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { camelCase } from '../../src/names.ts';

/** Settings by their paths in the configuration file; undefined leaves one unset. */
export type Settings = Record<string, Setting | readonly string[] | undefined>;

/** The name that stands for `*` in a path. */
const provider = 'example';

/** A configuration in which everything arises. */
export const everything: Settings = {
  base_url: 'https://id.example.org',
  data_encryption_key: 'A'.repeat(43),
  enable_ui_router: true,
  enable_admin_router: true,
  enable_sms_2fa: true,
  enable_totp: true,
  enable_passkeys: true,
  enable_session_list: true,
  enable_oauth: true,
  enable_tokens: true,
  mail_store: 'database',
  'email.smtp_host': 'localhost',
  'oauth.google_client_id': 'a client',
  'oauth.google_client_secret': 'a secret of it',
  [`oauth.providers.${provider}.client_id`]: 'a client',
  [`oauth.providers.${provider}.client_secret`]: 'a secret of it',
  [`oauth.providers.${provider}.issuer`]: 'https://login.example.org',
};

/** Settings that a value needs, because the configuration would be refused without them. */
const along: Record<string, Settings> = {
  'enable_session_list=false': { notify_new_sign_in: false, session_idle_ttl_seconds: 0 },
  'require_verification=false': { enumeration_safe_registration: false },
};

const pathOf = (key: string) => key.replace('*', provider);

/** Returns the settings with another value of one, and with what goes along. */
function withSetting(settings: Settings, key: string, value: Settings[string]): Settings {
  return { ...settings, [pathOf(key)]: value, ...along[`${key}=${value}`] };
}

const written = ({ write, is, breaks }: Need, settings: Settings): Settings[string] => {
  if (typeof write === 'object') return settings[write.from];
  // A list is written as nothing.
  return Array.isArray(breaks) && 'within' in is ? [] : write;
};

/** Returns the settings in which a need does not hold, while it matters. */
export const withBroken = (settings: Settings, need: Need): Settings =>
  withSetting(settings, need.key, need.breaks === '' ? undefined : need.breaks);

const isIn = (way: Way, { key }: Need) => way.some(need => need.key === key);

/** Returns the settings in which one way holds, and no other. */
export function settingsOf(way: Way, others: readonly Way[], base = everything): Settings {
  let settings = base;
  for (const need of others.flat()) if (!isIn(way, need)) settings = withBroken(settings, need);
  for (const need of way) settings = withSetting(settings, need.key, written(need, settings));
  return settings;
}

/** The ways of each requirement that needs settings. */
export const waysOf = requirements.flatMap(requirement =>
  'needs' in requirement.verdict
    ? requirement.verdict.needs.map((way, i, all) => ({
        requirement,
        way,
        others: all.filter(other => other !== way),
        title: all.length > 1 ? `${requirement.id}, way ${i + 1}` : requirement.id,
      }))
    : [],
);

/** The settings that an entry names. */
export const keysOf = ({ verdict, arises = [], host }: Requirement): string[] => {
  const needs = 'needs' in verdict ? verdict.needs.flat() : [];
  const conditions = [
    ...needs,
    ...needs.flatMap(({ when }) => when ?? []),
    ...arises,
    ...(host ? [host] : []),
  ];
  return conditions.map(({ key }) => pathOf(key));
};

/** Returns the settings as a program gives them. */
export function inputOf(settings: Settings): ConfigInput {
  const input: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(settings)) {
    const names = path.split('.');
    // The name of a provider is one that the configuration chooses.
    const keys = names.map((name, i) => (i === 2 && names[1] === 'providers' ? name : camelCase(name)));
    const last = keys.pop()!;
    let table = input;
    for (const key of keys) {
      table[key] ??= {};
      table = table[key] as Record<string, unknown>;
    }
    if (value !== undefined) table[last] = value;
  }
  return input as ConfigInput;
}
