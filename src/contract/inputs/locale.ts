import { z } from 'zod';
import type { OwnData } from '../own-fields.ts';
import { refused } from './refused.ts';

/** The language of a person in an input; absent while there is one language. */
export interface LocaleInput {
  locale: z.ZodType<string | null | undefined>;
}

/** Returns what an input takes of the language of a person, which is one of `locales`. */
export function localeInput({ locales = [] }: Pick<OwnData, 'locales'>, description: string): LocaleInput {
  if (locales.length < 2) return {} as LocaleInput;
  const locale = z
    .string()
    .refine(tag => locales.includes(tag), refused('option', { options: locales.join(', ') }))
    .meta({ examples: [locales[0]] })
    .nullish()
    .describe(description);
  return { locale };
}

/** Of a change: what is absent stays as it is. */
export const localeOfChange = (own: Pick<OwnData, 'locales'>): LocaleInput =>
  localeInput(
    own,
    'The language of emails and text messages, as `features` lists it; null for the default one.',
  );
