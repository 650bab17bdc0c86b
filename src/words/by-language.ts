import { shortened } from './tags.ts';

/** A text of a host in several languages, by their tags: `{ en: 'Company', de: 'Firma' }`. */
export type ByLanguage = Readonly<Record<string, string>>;

/** Returns a text of a host in a language, else in the fallback, in English, or as it stands first. */
export function textIn(text: string | ByLanguage, locale: string, fallback = 'en'): string {
  if (typeof text === 'string') return text;
  const tags = [...shortened(locale), ...shortened(fallback), 'en'];
  const tag = tags.find(each => Object.hasOwn(text, each)) ?? Object.keys(text)[0];
  return tag === undefined ? '' : text[tag]!;
}
