// The rules for new passwords that the browser can tell while somebody types: length, and own words. Nothing is sent for it.

const { svcPasswordLeast = '8', svcWords = '[]' } = document.body.dataset;

/** The fewest and the most characters of a new password. */
export const lengths = { least: Number(svcPasswordLeast), most: 128 };

/** The words of the service; none while the blocklist is off. @type {string[]} */
const ofService = JSON.parse(svcWords);

/** @param {string} text */
const folded = text => text.normalize('NFKC').toLowerCase();

/** A name as people type it into a password, as the server takes it apart. @param {string} name */
function formsOf(name) {
  const words = name.split(/\s+/);
  return [name, words.join(' '), words.join(''), words.join('-'), words.join('.'), words.join('_'), ...words];
}

/** The local part of an address, with and without what follows a plus sign. @param {string} local */
const formsOfLocalPart = local =>
  [local, local.replace(/\+.*$/, '')].flatMap(part => [part, ...formsOf(part.replace(/[.+_-]+/g, ' '))]);

/** @param {Element | null | undefined} field */
const textOf = field => (field instanceof HTMLInputElement ? field.value.trim() : '');

/**
 * Returns why a new password is no good for the person of this form, as a sentence, or an empty text.
 * @param {HTMLInputElement} field
 */
export function ownWordIn({ value, form }) {
  const password = folded(value);
  if (ofService.length === 0 || password === '') return '';
  const email = form?.querySelector('input[autocomplete=username]');
  const name = document.querySelector('input[name=full_name]');
  const address = textOf(email);
  const local = address.slice(0, Math.max(0, address.lastIndexOf('@')));
  const ofPerson = [address, ...formsOfLocalPart(local), ...formsOf(textOf(name))];
  if (ofPerson.some(word => folded(word) === password))
    return 'This is your own name or address. Choose something that others would not try first.';
  if (ofService.includes(password))
    return 'This is the name of this service. Choose something that others would not try first.';
  return '';
}
