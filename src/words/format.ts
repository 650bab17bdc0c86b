import { createRequire } from 'node:module';
import { once } from '../lazily.ts';
import { hasDirection } from './isolating.ts';
import type { Parsed, Tree, Values } from './message.ts';

/** Loads the formatter's package, with the first message that is more than its text. */
const formatter = once((): typeof import('intl-messageformat') =>
  createRequire(import.meta.url)('intl-messageformat'),
);

/** Returns a function that makes each formatter of `Intl` once, as they are dear. */
function remembering<Options extends object, Made>(make: (locale: string, options?: Options) => Made) {
  const made = new Map<string, Made>();
  return (locale: string | string[] = 'en', options?: Options): Made => {
    const key = `${locale} ${JSON.stringify(options ?? {})}`;
    const known = made.get(key) ?? make(String(locale), options);
    made.set(key, known);
    return known;
  };
}

/** Formatters of `Intl`, each of which is made once. */
export const formatters = {
  getNumberFormat: remembering(
    (locale, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
  ),
  getDateTimeFormat: remembering(
    (locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
  ),
  getPluralRules: remembering(
    (locale, options?: Intl.PluralRulesOptions) => new Intl.PluralRules(locale, options),
  ),
};

/** A piece of markup, in which everything is escaped that has to be; as a choice of a message it is the plain text. */
class Markup {
  readonly html: string;
  readonly #text: string;

  constructor(html: string, text: string) {
    this.html = html;
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}
type Piece = string | Markup;

function partsOf(
  tree: Tree,
  locale: string,
  values: Record<string, string | number | Markup | ((chunks: Piece[]) => Markup)>,
): Piece[] {
  const { formatToParts, IntlMessageFormat } = formatter();
  return formatToParts<Markup>(tree, locale, formatters, IntlMessageFormat.formats, values).map(
    ({ value }) => value,
  );
}

/** Returns a message without tags as a text. */
export const formatText = (message: Parsed, locale: string, values: Values = {}): string =>
  typeof message === 'string' ? message : partsOf(message, locale, values).join('');

/** Returns a message as a text, with what its tags hold. */
export function formatPlain(
  message: Parsed,
  locale: string,
  values: Values,
  tags: ReadonlySet<string>,
): string {
  if (typeof message === 'string') return message;
  const held = (chunks: Piece[]) => new Markup('', chunks.join(''));
  const all = { ...values, ...Object.fromEntries([...tags].map(tag => [tag, held])) };
  return partsOf(message, locale, all).join('');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, char => entities[char]!);

/**
 * Returns a message as markup: its text and values are escaped, and each tag becomes the element whose start tag is given
 * under its name. `isolates` says whether values that have a direction stand in `<bdi>`.
 */
export function formatMarkup(
  message: Parsed,
  locale: string,
  values: Values,
  elements: Values,
  isolates: boolean,
): string {
  if (typeof message === 'string') return escapeHtml(message);
  const written = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'number') return [name, value] as const;
    const html = escapeHtml(value);
    return [name, new Markup(isolates && hasDirection(value) ? `<bdi>${html}</bdi>` : html, value)] as const;
  });
  const tags = Object.entries(elements).map(
    ([name, start]) =>
      [name, (chunks: Piece[]) => new Markup(`${start}${htmlOf(chunks)}${endOf(`${start}`)}`, '')] as const,
  );
  return htmlOf(partsOf(message, locale, Object.fromEntries([...written, ...tags])));
}

const htmlOf = (pieces: Piece[]): string =>
  pieces.map(piece => (typeof piece === 'string' ? escapeHtml(piece) : piece.html)).join('');

/** Returns the end tags of the elements that a text starts. */
function endOf(start: string): string {
  const names = [...start.matchAll(/<([a-z][\w-]*)/g)].map(([, name]) => `</${name}>`);
  return names.reverse().join('');
}
