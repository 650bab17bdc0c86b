// The own fields of the application, wherever a form or a panel has them.
import { camelCase, day, fill, partsOf } from './parts.js';
import { t } from './words.js';

/** @import { OwnFields } from './types.d.ts' */

/** @param {ParentNode} root */
const inputsOf = root => partsOf('input[data-own-field]', root);

/** Returns what a field says: null where it is empty. @param {HTMLInputElement} input */
function readValue({ type, checked, value }) {
  if (type === 'checkbox') return checked;
  if (value.trim() === '') return null;
  return type === 'number' ? Number(value) : value;
}

/** Returns whether somebody has changed a field since it was filled in. @param {HTMLInputElement} input */
const isChanged = ({ type, checked, defaultChecked, value, defaultValue }) =>
  type === 'checkbox' ? checked !== defaultChecked : value !== defaultValue;

/** @param {HTMLInputElement[]} inputs */
const valuesOf = inputs =>
  Object.fromEntries(inputs.map(input => [input.dataset.ownField ?? '', readValue(input)]));

/** Returns the own fields of a form as the API takes them; nothing where it has none. @param {ParentNode} form */
export function ownFieldsOf(form) {
  const inputs = inputsOf(form);
  return inputs.length > 0 ? { fields: valuesOf(inputs) } : {};
}

/** Returns those that were changed, so that what others have changed meanwhile stays. @param {ParentNode} form */
export const changedFieldsOf = form => valuesOf(inputsOf(form).filter(isChanged));

/** Fills in the values: into fields, and as text. @param {OwnFields | undefined} fields @param {ParentNode} [root] */
export function fillOwnFields(fields = {}, root = document) {
  for (const input of inputsOf(root)) {
    const value = fields[input.dataset.ownField ?? ''];
    if (value === undefined) continue;
    if (input.type === 'checkbox') {
      input.checked = input.defaultChecked = value === true;
    } else {
      input.value = input.defaultValue = String(value ?? '');
    }
  }
  fill(
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [camelCase(`fields.${name}`), inWords(value)]),
    ),
    root,
  );
  for (const place of partsOf('[data-own-day]', root)) {
    const value = fields[place.dataset.ownDay ?? ''];
    // The day itself, in whatever time zone it is read.
    if (typeof value === 'string') place.textContent = day.format(new Date(`${value}T00:00:00`));
  }
}

/** @param {OwnFields[string] | undefined} value */
const inWords = value => (value === true ? t('page_yes') : value === false ? t('page_no') : value);
