import { once } from '../lazily.ts';
import { readArb } from './arb.ts';
import { chainOf, type LocaleSettings, localFiles, readText } from './local-files.ts';
import { pseudoOf, pseudoTag } from './pseudo.ts';
import { shippedTags } from './tags.ts';
import {
  createWords,
  type Direction,
  directionOf,
  english,
  type Language,
  shipped,
  type Words,
} from './words.ts';

/** A language that people can choose. */
export interface OfferedLanguage {
  tag: string;
  /** In the language itself: `Deutsch`. */
  name: string;
  direction: Direction;
}

/** The languages of an instance. Nothing of one is read before its first message is asked for. */
export interface Languages {
  /** Those that people can choose, as `locales` lists them. */
  readonly offered: readonly string[];
  /** Whether there is a choice. */
  readonly isChoice: boolean;
  /** The one for whom none is known. */
  readonly default: Words;
  /** Returns the words of an offered language; null for any other. */
  find(tag: string | null | undefined): Words | null;
  /** Returns the words of an offered language, else those of the default one. */
  of(tag: string | null | undefined): Words;
  /** Returns what people see of each of them. */
  list(): OfferedLanguage[];
}

/** Returns the languages of a configuration. */
export function createLanguages(settings: LocaleSettings): Languages {
  const { locales: offered, defaultLocale, localeDirs } = settings;
  const sources = new Map<string, Language[]>();

  /** The host's files of a language come before what is shipped of it. */
  function sourcesOf(locale: string): Language[] {
    const known = sources.get(locale);
    if (known) return known;
    const own = localFiles(locale, localeDirs).map(path => ({
      locale,
      messages: once(() => readArb(readText(path)).messages),
    }));
    const all = [
      ...own,
      ...(shippedTags().includes(locale) ? [shipped(locale)] : []),
      ...(locale === pseudoTag ? sourcesOf('en').map(pseudoOf) : []),
    ];
    sources.set(locale, all);
    return all;
  }

  function wordsOf(tag: string): Words {
    if (tag === 'en' && defaultLocale === 'en' && localeDirs.length === 0) return english;
    const own: Language = { locale: tag, messages: () => ({}) };
    return createWords([own, ...chainOf(tag, settings).flatMap(sourcesOf)]);
  }

  const made = new Map(offered.map(tag => [tag, once(() => wordsOf(tag))]));
  const find = (tag: string | null | undefined) => (tag ? (made.get(tag)?.() ?? null) : null);
  const ofDefault = once(() => wordsOf(defaultLocale));
  const byDefault = made.get(defaultLocale) ?? ofDefault;
  return {
    offered,
    isChoice: offered.length > 1,
    get default() {
      return byDefault();
    },
    find,
    of: tag => find(tag) ?? byDefault(),
    list: () => offered.map(tag => ({ tag, name: nameOf(tag), direction: directionOf(tag) })),
  };
}

/** The names of shipped languages, so that the data of all languages is not loaded for them. */
const names: Partial<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
};

/** Returns the name of a language in itself, as a list of languages has it. */
function nameOf(tag: string): string {
  if (names[tag]) return names[tag];
  const name = new Intl.DisplayNames(tag, { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
  const [first = '', ...rest] = name;
  return first.toLocaleUpperCase(tag) + rest.join('');
}
