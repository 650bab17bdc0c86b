import type { Reply } from '../domain/caller.ts';
import type { Languages } from '../words/languages.ts';
import { lookUp } from '../words/negotiate.ts';
import type { Words } from '../words/words.ts';

/** The parts of an answer beside its content, for any request. */
export abstract class AnswerOf implements Reply {
  readonly #languages: Languages;
  browserToken: string | null | undefined;
  locale: string | null | undefined;
  /** The language of the texts in the answer; absent while it has none. */
  spoken: string | undefined;

  constructor(languages: Languages) {
    this.#languages = languages;
  }
  abstract get headers(): { 'accept-language'?: string | undefined };

  speak(): Words {
    const languages = this.#languages;
    const named = languages.isChoice ? lookUp(this.headers['accept-language'], languages.offered) : null;
    const words = languages.of(named ?? this.locale);
    this.spoken = words.locale;
    return words;
  }
}

/** Returns the header of the language that an answer speaks, if it has texts. */
export const languageHeader = ({ spoken }: { spoken: string | undefined }): Record<string, string> =>
  spoken === undefined ? {} : { 'Content-Language': spoken };
