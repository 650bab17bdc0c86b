import { existsSync } from 'node:fs';
import { packageFile } from '../package-files.ts';

/** The languages that the package may have a file of. */
const everyTag = ['en', 'de', 'fr', 'es', 'ja', 'ar'];

/** Returns the languages that the package has a file of, English first. */
export const shippedTags = (): string[] =>
  everyTag.filter(tag => existsSync(packageFile(`locales/${tag}.arb`)));

/** Returns the tag of a language as it is written (RFC 5646 §2.1.1): `pt-BR` for `pt-br`; null for what is no tag. */
export function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns a tag and the less precise ones, as RFC 4647 §3.4 shortens it: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function shortened(tag: string): string[] {
  const parts = tag.split('-');
  const tags: string[] = [];
  while (parts.length > 0) {
    tags.push(parts.join('-'));
    parts.pop();
    // A letter or digit alone begins what follows it.
    if (parts.at(-1)?.length === 1) parts.pop();
  }
  return tags;
}
