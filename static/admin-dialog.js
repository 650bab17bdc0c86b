import { wordsOf } from './admin-api.js';
import { busy, markField, say, sayProblem, toProblem } from './forms.js';
import { fill, part } from './parts.js';
import { t } from './words.js';

const dialog = part('#confirm', document, HTMLDialogElement);
const typed = part('#confirm-typed', dialog, HTMLInputElement);
const problem = part('#confirm-problem', dialog);
const confirm = part('#confirm-do', dialog);

part('#confirm-cancel', dialog).addEventListener('click', () => dialog.close());
// The request has been sent, and its result must be shown.
dialog.addEventListener('cancel', event => {
  if (confirm.ariaBusy === 'true') event.preventDefault();
});

/**
 * A question, and what it is about. With `mustType`, that text must be typed first.
 * @typedef {{ title: string, text: string, label: string, isDangerous?: boolean, mustType?: string | null }} Question
 */

/** Closes the dialog when the operator goes to another view, unless its request has been sent. */
export function leaveQuestion() {
  if (confirm.ariaBusy !== 'true') dialog.close();
}

/** Ends the question that the dialog shows. */
let end = () => {};
// The event of a dialog that was closed comes later, perhaps after the next question is shown.
dialog.addEventListener('close', () => {
  if (!dialog.open) end();
});

/**
 * Asks before it does the work, and stays open with the reason when the work fails. Returns the result of the work, or
 * undefined when the operator cancelled.
 * @template T
 * @param {Question & { work: () => Promise<T> }} asked
 * @returns {Promise<T | undefined>}
 */
export function askFirst({ title, text, label, isDangerous = false, mustType = null, work }) {
  fill({ title, text, label, mustType }, dialog);
  confirm.classList.toggle('button-danger', isDangerous);
  confirm.classList.toggle('button-primary', !isDangerous);
  part('#confirm-typing', dialog).hidden = mustType === null;
  typed.value = '';
  markField(typed, '');
  say(problem);

  return new Promise(resolve => {
    /** @type {T | undefined} */
    let answer;
    end();
    end = () => resolve(answer);
    dialog.onsubmit = event => {
      event.preventDefault();
      say(problem);
      const isTyped = mustType === null || typed.value.trim() === mustType;
      markField(typed, isTyped ? '' : t('console_this_has_to_be_the'));
      if (!isTyped) return typed.focus();
      busy(confirm, async () => {
        try {
          answer = await work();
          dialog.close();
        } catch (error) {
          sayProblem(problem, toProblem(error), wordsOf);
        }
      });
    };
    dialog.showModal();
  });
}
