// Show-password buttons, and the hint of a new password: its length, and what it must not be.
import { part, partsOf } from './parts.js';
import { examine, lengths } from './password-rules.js';
import { t } from './words.js';

/**
 * The hint from this number of characters on; a level is a bar of the meter.
 * @type {[from: number, level: number, words: string][]}
 */
const levels = [
  [lengths.most + 1, 1, t('page_too_long_at_most_characters', { most: lengths.most })],
  [Math.max(16, lengths.least), 4, t('page_a_very_good_length')],
  [Math.max(12, lengths.least), 3, t('page_a_good_length')],
  [lengths.least, 2, t('page_long_enough_longer_is_stronger')],
  [1, 1, t('page_too_short_so_far_at', { least: lengths.least })],
  [0, 0, t('page_at_least_characters_a_few', { least: lengths.least })],
];

/** Returns the field whose id a `data-` attribute names. @param {string | undefined} id */
const fieldNamed = id => part(`#${id}`, document, HTMLInputElement);

/** Adds this behaviour to every password field of the page, or of a part of it. @param {ParentNode} [root] */
export function watchPasswords(root = document) {
  for (const button of partsOf('[data-shows]', root)) {
    const field = fieldNamed(button.dataset.shows);
    /** @param {boolean} shown */
    const show = shown => {
      field.type = shown ? 'text' : 'password';
      button.textContent = shown ? t('page_hide') : t('page_show');
      button.setAttribute('aria-label', shown ? t('page_hide_password') : t('page_show_password'));
    };
    button.hidden = false;
    button.addEventListener('click', () => show(field.type === 'password'));
    // No password stays readable on the screen while the form is being sent.
    field.form?.addEventListener('submit', () => show(false));
  }
  for (const meter of partsOf('[data-measures]', root)) {
    const field = fieldNamed(meter.dataset.measures);
    const hint = part(`#${field.id}-hint`);
    const measure = () => {
      const { length, refusedBy, words: refusal } = examine(field);
      const [, level, rating] = levels.find(([from]) => length >= from) ?? [0, 0, ''];
      const words = refusal || rating;
      meter.dataset.level = String(refusedBy ? Math.min(level, 1) : level);
      // Announced once per level, not once per key.
      if (hint.textContent !== words) hint.textContent = words;
    };
    // The other fields of the form say whose own words they are.
    (field.form ?? field).addEventListener('input', measure);
    field.form?.addEventListener('reset', () => queueMicrotask(measure));
    measure();
  }
}
