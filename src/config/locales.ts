import { resolve } from 'node:path';
import type { ConfigProblem } from '../errors.ts';
import { readMessages } from '../words/check.ts';
import { assertReadable, hasMessages, readText, usedFiles } from '../words/local-files.ts';
import { canonicalTag, shippedTags } from '../words/tags.ts';
import type { TogetherProblem } from './prefixes.ts';

/** The values that were given for the languages, unparsed. */
export interface GivenLocales {
  locales?: unknown;
  default_locale?: unknown;
  locale_dirs?: unknown;
}

function settingsOf({ locales = ['en'], default_locale = 'en', locale_dirs = [] }: GivenLocales) {
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
  return {
    // A text that is no tag is a problem of its own, and not the name of a file.
    locales: texts(locales).filter(tag => canonicalTag(tag) === tag),
    defaultLocale: typeof default_locale === 'string' ? default_locale : 'en',
    localeDirs: texts(locale_dirs),
  };
}

/** Returns the problems of the languages that a configuration names. */
export function localeProblems(given: GivenLocales): TogetherProblem[] {
  const { locales, defaultLocale, localeDirs } = settingsOf(given);
  const problems: TogetherProblem[] = locales
    .filter(tag => tag !== 'en' && !hasMessages(tag, localeDirs))
    .map(tag => ({
      path: ['locales'],
      message: `has "${tag}", of which there is no file: ${shippedTags().join(', ')} are shipped, and a folder of locale_dirs may have ${tag}.arb`,
    }));
  if (locales.length > 0 && !locales.includes(defaultLocale))
    problems.push({
      path: ['default_locale'],
      message: `must be one of locales: ${locales.join(', ')}`,
    });
  return problems;
}

/** Returns the problems of the host's files of messages. */
export function localeFileProblems(given: GivenLocales): ConfigProblem[] {
  const settings = settingsOf(given);
  const problems: ConfigProblem[] = [];
  for (const dir of settings.localeDirs) {
    try {
      assertReadable(dir);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const message = reasons[code] ?? `The folder cannot be read (${code}).`;
      problems.push({ source: 'locale_dirs', key: resolve(dir), message });
    }
  }
  for (const path of usedFiles(settings)) {
    const { broken } = readMessages(readText(path));
    problems.push(
      ...broken.map(({ id, column, message }) => ({
        ...{ source: path, key: id ?? 'file' },
        message: `column ${column}: ${message}`,
      })),
    );
  }
  return problems;
}

const reasons: Record<string, string> = {
  ENOENT: 'There is no such folder.',
  ENOTDIR: 'It is a file, not a folder.',
};
