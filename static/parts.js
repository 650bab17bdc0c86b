// The placeholders of a page's template: finding them and filling them in. Data becomes text, never markup (XSS).
import { locale } from './words.js';

/** @import { Fillings } from './types.d.ts' */

/**
 * Returns an element that a script requires.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @param {new () => E} [type]
 * @returns {E}
 * @throws {Error} when the host application's own template has omitted it
 */
export function part(selector, root = document, type = /** @type {any} */ (HTMLElement)) {
  const found = root.querySelector(selector);
  if (found instanceof type) return found;
  throw new Error(`The template of this page needs a ${type.name} at ${selector}.`);
}

/**
 * Returns every matching element of a page that may have none.
 * @template {keyof HTMLElementTagNameMap} Name
 * @overload
 * @param {`${Name}[${string}`} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElementTagNameMap[Name][]}
 */
/**
 * @overload
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement[]}
 */
/**
 * @param {string} selector
 * @param {ParentNode} [root]
 */
export function partsOf(selector, root = document) {
  return /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);
}

/** @type {(selector: string, root?: ParentNode) => HTMLFormElement} */
export const formOf = (selector, root) => part(selector, root, HTMLFormElement);

/** @type {(selector: string, root?: ParentNode) => HTMLButtonElement} */
export const buttonOf = (selector, root) => part(selector, root, HTMLButtonElement);

/** Returns a name of a template as the API's client has it: `full_name` is `fullName`. @param {string} name */
export const camelCase = name => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** Returns the field of this name. @type {(form: HTMLFormElement, name: string) => HTMLInputElement} */
export const fieldOf = (form, name) => part(`[name="${name}"]`, form, HTMLInputElement);

/**
 * Returns a format of times in the language of the page. A part of the day, as PM, stays in the line of the hours.
 * @param {Intl.DateTimeFormatOptions} options
 */
function timesOf(options) {
  const times = new Intl.DateTimeFormat(locale, options);
  return {
    format: (/** @type {Date} */ at) =>
      times
        .formatToParts(at)
        .map(({ value }, i, parts) => (parts[i + 1]?.type === 'dayPeriod' ? '\u00a0' : value))
        .join(''),
  };
}

export const moment = timesOf({ dateStyle: 'medium', timeStyle: 'short' });
/** The time of day alone. */
const clock = timesOf({ timeStyle: 'short' });
export const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });

/**
 * Fills in the given values: each `data-fill` shows the value of its name, or its `data-none` if there is no value; a
 * `<time>` shows local time, with `data-day` only the day. Each `data-when` is visible while the value of its name is
 * true, with `!` before the name while it is false. Elements with other names stay unchanged. A template may write names with
 * underscores.
 * @param {Fillings} values
 * @param {ParentNode} [root]
 */
export function fill(values, root = document) {
  for (const place of partsOf('[data-fill]', root)) {
    const { none = '' } = place.dataset;
    const name = camelCase(place.dataset.fill ?? '');
    if (!(name in values)) continue;
    const value = values[name];
    const isTime = place instanceof HTMLTimeElement && Boolean(value);
    const format = 'day' in place.dataset ? day : 'clock' in place.dataset ? clock : moment;
    place.textContent = isTime ? format.format(new Date(String(value))) : String(value ?? none);
    // The exact time, in UTC, shown on hover.
    if (isTime) place.dateTime = place.title = String(value);
  }
  for (const place of partsOf('[data-when]', root)) {
    const [, not, name = ''] = /^(!?)(.*)$/.exec(camelCase(place.dataset.when ?? '')) ?? [];
    if (name in values) place.hidden = Boolean(values[name]) === Boolean(not);
  }
}

/** Returns a picture of the template for what a script adds, or null where there is none of this name. @param {string} name @returns {Node | null} */
export function icon(name) {
  const template = document.querySelector(`template[data-icon="${name}"]`);
  const picture = template instanceof HTMLTemplateElement && template.content.firstElementChild;
  return picture ? picture.cloneNode(true) : null;
}
