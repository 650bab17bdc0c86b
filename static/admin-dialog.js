import { wordsOf } from './admin-api.js';
import { byId, fill } from './admin-parts.js';
import { busy, markField } from './forms.js';

const dialog = byId('confirm');
const typed = byId('confirm-typed');
const problem = byId('confirm-problem');
const confirm = byId('confirm-do');

byId('confirm-cancel').addEventListener('click', () => dialog.close());
// What was sent will be answered, and the answer has to be seen.
dialog.addEventListener('cancel', event => {
  if (confirm.ariaBusy === 'true') event.preventDefault();
});

/**
 * Asks before it does the work, and stays open with the reason when that fails. Answers what the work answered, or
 * undefined when the operator gave up. With `mustType`, that text has to be typed first.
 */
export function askFirst({ title, text, label, isDangerous = false, mustType = null, work }) {
  fill(dialog, { title, text, label, mustType });
  confirm.classList.toggle('button-danger', isDangerous);
  confirm.classList.toggle('button-primary', !isDangerous);
  byId('confirm-typing').hidden = mustType === null;
  typed.value = '';
  markField(typed, '');
  problem.textContent = '';

  return new Promise(resolve => {
    let answer;
    dialog.onclose = () => resolve(answer);
    dialog.onsubmit = event => {
      event.preventDefault();
      problem.textContent = '';
      const isTyped = mustType === null || typed.value.trim() === mustType;
      markField(typed, isTyped ? '' : 'This has to be the address, letter by letter.');
      if (!isTyped) return typed.focus();
      busy(confirm, async () => {
        try {
          answer = await work();
          dialog.close();
        } catch (error) {
          problem.textContent = wordsOf(error);
        }
      });
    };
    dialog.showModal();
  });
}
