import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../package-files.ts';
import { pseudoTag } from './pseudo.ts';
import { shippedTags, shortened } from './tags.ts';

/** Where messages come from. */
export interface LocaleSettings {
  locales: readonly string[];
  defaultLocale: string;
  localeDirs: readonly string[];
}

/** Returns the files of a language in the host's folders; the first has precedence. */
export const localFiles = (tag: string, dirs: readonly string[]): string[] =>
  dirs.map(dir => join(dir, `${tag}.arb`)).filter(path => existsSync(path));

/** Returns where the shipped file of a language is. */
export const shippedPath = (tag: string): string => fileURLToPath(packageFile(`locales/${tag}.arb`));

/** Returns whether there are messages of a language. */
export const hasMessages = (tag: string, dirs: readonly string[]): boolean =>
  tag === pseudoTag || shippedTags().includes(tag) || localFiles(tag, dirs).length > 0;

/** Returns the languages in which a message is sought, one after the other: `pt-BR`, `pt`, that of `default_locale`, `en`. */
export const chainOf = (tag: string, { defaultLocale }: Pick<LocaleSettings, 'defaultLocale'>): string[] => [
  ...new Set([...shortened(tag), ...shortened(defaultLocale), 'en']),
];

/** Returns every file of the host that is used. */
export const usedFiles = (settings: LocaleSettings): string[] =>
  [...new Set(settings.locales.flatMap(tag => chainOf(tag, settings)))].flatMap(tag =>
    localFiles(tag, settings.localeDirs),
  );

export const readText = (path: string): string => readFileSync(path, 'utf8');

/** @throws {Error} of the file system */
export const assertReadable = (dir: string): void => void readdirSync(dir);
