// Show-password buttons, and the hint that grows with a new password.
import { lengthOf } from './forms.js';

/** From so many characters on, what the hint says; a level is a bar of the meter. */
const levels = [
  [129, 1, 'Too long: at most 128 characters.'],
  [16, 4, 'A strong length.'],
  [12, 3, 'A good length.'],
  [8, 2, 'Long enough; longer is stronger.'],
  [1, 1, 'Too short so far: at least 8 characters.'],
  [0, 0, 'At least 8 characters. A few words in a row make a good one.'],
];

/** Brings every password field of the page to life. */
export function watchPasswords() {
  for (const button of document.querySelectorAll('[data-shows]')) {
    const field = document.getElementById(button.dataset.shows);
    const show = shown => {
      field.type = shown ? 'text' : 'password';
      button.textContent = shown ? 'Hide' : 'Show';
      button.setAttribute('aria-label', shown ? 'Hide password' : 'Show password');
    };
    button.hidden = false;
    button.addEventListener('click', () => show(field.type === 'password'));
    // Nothing stays readable on the screen while the form is under way.
    field.form.addEventListener('submit', () => show(false));
  }
  for (const meter of document.querySelectorAll('[data-measures]')) {
    const field = document.getElementById(meter.dataset.measures);
    const hint = document.getElementById(`${field.id}-hint`);
    const measure = () => {
      const length = lengthOf(field.value);
      const [, level, words] = levels.find(([from]) => length >= from);
      meter.dataset.level = level;
      // Said once a level, not once a key.
      if (hint.textContent !== words) hint.textContent = words;
    };
    field.addEventListener('input', measure);
    field.form.addEventListener('reset', () => queueMicrotask(measure));
    measure();
  }
}
