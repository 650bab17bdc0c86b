// The rules for new passwords that the browser can check while somebody types: length, and own words. Nothing is sent for it.
import { lengthOfPassword, longestPassword, normalisePassword } from '../src/password-text.ts';
import { folded, wordsOfPerson } from '../src/passwords/own-words.ts';
import { t } from './words.js';

const { svcPasswordLeast = '8', svcWords = '[]' } = document.body.dataset;

/** The fewest and the most characters of a new password. */
export const lengths = { least: Number(svcPasswordLeast), most: longestPassword };

/** The words of the service; none while the blocklist is off. @type {string[]} */
const ofService = JSON.parse(svcWords);

/** @param {Element | null | undefined} field */
const textOf = field => (field instanceof HTMLInputElement ? field.value.trim() : '');

/**
 * Returns how long a new password is and which rule refuses it, if one does. `words` is why it is no good for the person of
 * this form, as a sentence.
 * @param {HTMLInputElement} field
 * @returns {{ length: number, refusedBy: 'least' | 'most' | 'words' | null, words: string }}
 */
export function examine(field) {
  const length = lengthOfPassword(normalisePassword(field.value));
  if (length < lengths.least) return { length, refusedBy: 'least', words: '' };
  if (length > lengths.most) return { length, refusedBy: 'most', words: '' };
  const words = ownWordIn(field);
  return { length, refusedBy: words ? 'words' : null, words };
}

/** @param {HTMLInputElement} field */
function ownWordIn({ value, form }) {
  const password = folded(value);
  if (ofService.length === 0 || password === '') return '';
  const email = form?.querySelector('input[autocomplete=username]');
  const name = document.querySelector('input[name=full_name]');
  if (wordsOfPerson({ email: textOf(email), fullName: textOf(name) }).includes(password))
    return t('page_this_is_your_own_name');
  if (ofService.includes(password)) return t('page_this_is_the_name_of');
  return '';
}
