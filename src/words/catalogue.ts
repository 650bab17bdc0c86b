import { readFileSync } from 'node:fs';
import { packageFile } from '../package-files.ts';
import type { Parsed } from './message.ts';

/** The messages of a language, by id. */
export type Catalogue = Readonly<Record<string, Parsed>>;

/** The messages of a page's scripts: those of the pages of signing in, of the account page, or of the console. */
export const bundles = ['people', 'account', 'console'] as const;
export type Bundle = (typeof bundles)[number];

const read = (name: string) => JSON.parse(readFileSync(packageFile(`locales/parsed/${name}.json`), 'utf8'));

/** Returns the messages of a shipped language, as the build has parsed them. @throws {Error} where there is no file */
export const shippedCatalogue = (tag: string): Catalogue => read(tag);

/** Returns the ids of the messages that each bundle of scripts uses. */
export const idsOfBundles = (): Record<Bundle, string[]> => read('bundles');
