// The messages of the pages' scripts, in the language of the page. They are parsed already, and loaded with this module.

import { formatToParts } from 'intl-messageformat';

/** @import { ActId, ConsoleActId, MessageId, Parsed, ReasonId, TagOf, TextId, Tree, Values, ValuesOf } from './types.d.ts' */

const { lang, dir } = document.documentElement;
const { page = '', svcMessages } = document.body.dataset;

// A layout of the host may be older than this address.
const bundle = { admin: 'console', me: 'account' }[page] ?? 'people';
/** @type {{ default: Partial<Record<string, Parsed>> }} */
const { default: messages } = await import(svcMessages ?? `./messages-${bundle}.js`);

const { locale: own } = new Intl.DateTimeFormat().resolvedOptions();
/** How dates and numbers are written: as the browser does it, if that is in the language of the page. */
export const locale = own.split('-')[0] === lang.split('-')[0] ? own : lang;

/** @type {import('./types.d.ts').Formatters} */
const formatters = {
  getNumberFormat: (_, options) => new Intl.NumberFormat(locale, options),
  getDateTimeFormat: (_, options) => new Intl.DateTimeFormat(locale, options),
  getPluralRules: (_, options) => new Intl.PluralRules(lang, options),
};
const formats = { number: {}, date: {}, time: {} };

/**
 * Returns a message whose texts of others keep their direction to themselves (UAX #9).
 * @param {Tree} tree @param {Values} values @returns {Tree}
 */
const isolating = (tree, values) =>
  tree.flatMap(part => {
    if ('children' in part) return [{ ...part, children: isolating(part.children, values) }];
    if ('options' in part) {
      /** @type {typeof part.options} */
      const options = {};
      for (const [key, option] of Object.entries(part.options))
        options[key] = { ...option, value: isolating(option.value, values) };
      return [/** @type {typeof part} */ ({ ...part, options })];
    }
    return part.type === argument && hasDirection(values[part.value])
      ? [literal('\u2068'), part, literal('\u2069')]
      : [part];
  });
/** A number has none, lines have one each, and what has isolates is a message. @param {unknown} value */
const hasDirection = value => typeof value === 'string' && !/[\n\u2068]/.test(value);
/** The parser's number for `{name}`. */
const argument = 1;
/** @param {string} value @returns {Tree[number]} */
const literal = value => ({ type: 0, value });

/** @param {Tree} tree @param {Values} values */
const placed = (tree, values) => (dir === 'rtl' ? isolating(tree, values) : tree);

/**
 * @param {Tree} tree
 * @param {Record<string, string | number | ((chunks: (string | Node)[]) => Node)>} values
 * @returns {(string | Node)[]}
 */
const partsOf = (tree, values) =>
  formatToParts(tree, lang, formatters, formats, values).map(({ value }) => value);

/** Returns the id of what is said about an operation. @param {string} operation */
export const idOfAct = operation =>
  `act_${operation.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`).replaceAll('o_auth', 'oauth')}`;

/** Returns whether the console has a message about an act. @param {string} id @returns {id is ConsoleActId} */
export const isConsoleAct = id => id.startsWith('console_act_') && Object.hasOwn(messages, id);

/** Returns the operations about which the console has a message: `idOfAct` reversed. */
export const consoleActs = () =>
  Object.keys(messages)
    .filter(isConsoleAct)
    .map(id =>
      id
        .slice('console_act_'.length)
        .replaceAll('_oauth', '_o_auth')
        .replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()),
    );

/** Returns whether there is a message about an act. @param {string} id @returns {id is ActId} */
export const isAct = id => id.startsWith('act_') && Object.hasOwn(messages, id);

/** Returns whether there is a message about why something was refused. @param {string} id @returns {id is ReasonId} */
export const isReason = id => id.startsWith('error_') && Object.hasOwn(messages, id);

/**
 * Returns a message as a text.
 * @template {TextId} Id
 * @param {Id} id
 * @param {ValuesOf<Id>} given
 */
export function t(id, ...given) {
  const [values = {}] = given;
  const message = messages[id] ?? id;
  if (typeof message === 'string') return message;
  return partsOf(placed(message, values), values).join('');
}

const lists = new Intl.ListFormat(locale);

/** Returns texts as a list of the language: `a, b and c`. @param {string[]} texts */
export const listed = texts => lists.format(dir === 'rtl' ? texts.map(text => `\u2068${text}\u2069`) : texts);

/** Returns two facts beside each other, the second alone where there is no first. @param {string | null} first @param {string} second */
export const beside = (first, second) => (first ? t('unit_facts', { first, second }) : second);

/**
 * Returns a message as texts and elements, for `append`: each tag is what its function makes of the text in it.
 * @template {MessageId} Id
 * @param {Id} id
 * @param {Record<TagOf<Id>, (text: string) => Node>} tags
 * @param {ValuesOf<Id>} given
 * @returns {(string | Node)[]}
 */
export function nodes(id, tags, ...given) {
  const [values = {}] = given;
  const message = messages[id] ?? id;
  if (typeof message === 'string') return [message];
  /** @type {Record<string, (chunks: (string | Node)[]) => Node>} */
  const made = {};
  for (const [name, make] of Object.entries(tags)) made[name] = chunks => make(chunks.join(''));
  return partsOf(placed(message, values), { ...values, ...made });
}
