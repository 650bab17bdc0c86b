import type { Config } from '../../config/schema.ts';
import { textIn } from '../../words/by-language.ts';
import { english, type Words } from '../../words/words.ts';
import type { ScopeView } from './views.ts';

/** The scope that opens the profile here. */
const profileScope = 'profile';

export type OfferedScopes = ReturnType<typeof offeredScopes>;

/**
 * The scopes that keys may have: the profile, and those of APIs for sessions that ask for no sign-in, which a key has none
 * of to show. A scope of a key counts only while it would still be given (CONTRACT §16.1).
 */
export function offeredScopes({ resources, defaultLocale }: Pick<Config, 'resources' | 'defaultLocale'>) {
  const items = ({ t, locale }: Words): ScopeView[] => [
    { name: profileScope, description: t('notice_scope_profile'), resource: null },
    ...Object.values(resources)
      .filter(isOpenToKeys)
      .flatMap(({ identifier, scopes }) =>
        Object.entries(scopes).map(([name, text]) => ({
          ...{ name, description: textIn(text, locale, defaultLocale), resource: identifier },
        })),
      ),
  ];
  const names = items(english).map(({ name }) => name);
  return {
    /** Returns the scopes with their texts in the language of these words. */
    items,
    names,

    /** Returns those of a key's scopes that count. */
    counted: (scopes: readonly string[]): string[] => names.filter(name => scopes.includes(name)),
  };
}

type Resource = Config['resources'][string];

/** Returns whether keys may have the scopes of an API. */
const isOpenToKeys = ({ forSessions, acr, maxAgeSeconds }: Omit<Resource, 'scopes'>): boolean =>
  forSessions && acr === undefined && maxAgeSeconds === undefined;
