import { once } from '../lazily.ts';
import { type Catalogue, shippedCatalogue } from './catalogue.ts';
import { formatMarkup, formatPlain, formatText } from './format.ts';
import { isolating } from './isolating.ts';
import type { Parsed, TextId, Values, ValuesOf } from './message.ts';
import { type Names, namesIn } from './names.ts';
import type { AnySaid } from './said.ts';

export type Direction = 'ltr' | 'rtl';

/** The words of one language. */
export interface Words {
  /** BCP 47: `pt-BR`. */
  readonly locale: string;
  readonly direction: Direction;
  /** Returns a message as a text. */
  t<Id extends TextId>(id: Id, ...values: ValuesOf<Id>): string;
  /** Returns a message that was to be said. */
  say(said: AnySaid): string;
  /**
   * Returns a message by an id that the compiler does not know, for templates.
   * @throws {Error} where there is no such message, or where it has other values
   */
  text(id: string, values: Values): string;
  /** Returns a message as `text` does, without its tags, for where there are no elements. */
  plain(id: string, values: Values): string;
  /**
   * Returns a message as markup: tags become the elements whose start tags are given, everything else is escaped.
   * @throws {Error} where there is no such message, or where it has other values or tags
   */
  markup(id: string, given: Values): string;
  /** Returns messages as they are sent to browsers; those of another language are told as that. */
  parsed(ids: readonly string[]): Record<string, Parsed>;
}

/** One language of a chain in which each one stands in for messages that those before it do not have. */
export interface Language {
  locale: string;
  /** Read with the first message that is sought in it. */
  messages: () => Catalogue;
}

/** Returns the direction of a language's script. */
export function directionOf(locale: string): Direction {
  const { script } = new Intl.Locale(locale).maximize();
  return script !== undefined && rightToLeft.has(script) ? 'rtl' : 'ltr';
}
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

/** The characters around a text of a known direction (UAX #9). */
const [leftToRight, rightToLeftText, end] = ['\u2066', '\u2067', '\u2069'];

/** Returns the words of the first of these languages. The last one has every message. */
export function createWords([own, ...others]: readonly [Language, ...Language[]]): Words {
  const { locale } = own;
  const direction = directionOf(locale);
  const chain = [own, ...others];
  const names = new Map<string, Names>();

  function find(id: string): { message: Parsed; locale: string } {
    for (const { locale, messages } of chain) {
      const catalogue = messages();
      if (Object.hasOwn(catalogue, id)) return { message: catalogue[id]!, locale };
    }
    throw new Error(`There is no message "${id}".`);
  }

  /** Marks a text of another direction, which stands in for a missing message. */
  function placed(text: string, of: string): string {
    const theirs = of === locale ? direction : directionOf(of);
    if (theirs === direction) return text;
    return `${theirs === 'rtl' ? rightToLeftText : leftToRight}${text}${end}`;
  }

  const isolated = (message: Parsed, values: Values): Parsed =>
    direction === 'rtl' && typeof message !== 'string' ? isolating(message, values) : message;

  function textOf(id: string, values: Values = {}): string {
    const { message, locale: of } = find(id);
    return placed(formatText(isolated(message, values), of, values), of);
  }

  /** Returns the names that the last language has, which is the one that the templates are written by. */
  function namesOf(id: string): Names {
    const known = names.get(id) ?? namesIn(chain.at(-1)!.messages()[id] ?? '');
    names.set(id, known);
    return known;
  }

  /** @throws {Error} where the message has a value or tag that is not given, or the other way round */
  function assertNames(id: string, values: string[], tags: string[]): void {
    const wanted = namesOf(id);
    for (const [kind, names, given] of [
      ['value', wanted.values, values],
      ['tag', wanted.tags, tags],
    ] as const) {
      const missing = [...names.keys()].find(name => !given.includes(name));
      const unknown = given.find(name => !names.has(name));
      if (missing) throw new Error(`The message "${id}" needs the ${kind} "${missing}".`);
      if (unknown) throw new Error(`The message "${id}" has no ${kind} "${unknown}".`);
    }
  }

  return {
    locale,
    direction,
    t: (id, ...[values]) => textOf(id, values),
    say: ({ id, values }) => textOf(id, values),
    text(id, values) {
      assertNames(id, Object.keys(values), []);
      return textOf(id, values);
    },
    plain(id, values) {
      const { tags } = namesOf(id);
      assertNames(id, Object.keys(values), [...tags]);
      const { message, locale: of } = find(id);
      return placed(formatPlain(isolated(message, values), of, values, tags), of);
    },
    markup(id, given) {
      const { message, locale: of } = find(id);
      const { tags } = namesOf(id);
      const [elements, values]: Record<string, string | number>[] = [{}, {}];
      for (const [name, value] of Object.entries(given)) (tags.has(name) ? elements : values)![name] = value;
      assertNames(id, Object.keys(values!), Object.keys(elements!));
      return placed(formatMarkup(message, of, values!, elements!, direction === 'rtl'), of);
    },
    parsed: ids =>
      Object.fromEntries(
        ids.map(id => {
          const { message, locale: of } = find(id);
          return [id, typeof message === 'string' ? placed(message, of) : message];
        }),
      ),
  };
}

/** A language that the package has a file of. */
export function shipped(locale: string): Language {
  const language = shippedOnes.get(locale) ?? { locale, messages: once(() => shippedCatalogue(locale)) };
  shippedOnes.set(locale, language);
  return language;
}
const shippedOnes = new Map<string, Language>();

/** The language of logs, of the command line, and of `error.message`. It has every message. */
export const english: Words = createWords([shipped('en')]);
