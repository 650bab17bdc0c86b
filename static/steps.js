// Pages with several states: `data-step` names the state that a part belongs to, and one state is shown.
import { countDown } from './forms.js';
import { fill, partsOf } from './parts.js';
import { onClock } from './sentences.js';

/** @import { Fillings } from './types.d.ts' */

/** How long to wait before another email can be requested, in seconds. */
const pauseSeconds = 30;

/** Shows one state of the page; its heading gets the focus and becomes the title of the page. @param {string} name */
export function showStep(name) {
  for (const step of partsOf('[data-step]')) step.hidden = !step.dataset.step?.split(' ').includes(name);
  const heading = document.querySelector(`[data-step="${name}"] h1`);
  if (!(heading instanceof HTMLElement)) return;
  document.title = document.title.replace(/^.*(?= · )/, () => heading.textContent);
  heading.tabIndex = -1;
  heading.focus();
}

/** Has a button of `onPress` do nothing for a while after its use, and shows for how long. @param {HTMLButtonElement} button */
export function rest(button) {
  const label = button.textContent;
  button.ariaDisabled = 'true';
  /** @param {number} left */
  const show = left => {
    button.textContent = `${label} (${onClock(left)})`;
  };
  const done = () => {
    button.ariaDisabled = null;
    button.textContent = label;
  };
  countDown(pauseSeconds, show, done);
}

/**
 * Shows the final state of this page, with these values in its placeholders; a reload shows the same.
 * @param {string} step
 * @param {Fillings} [values]
 */
export function finish(step, values = {}) {
  history.replaceState({ finished: { step, values } }, '');
  resume();
}

/**
 * Shows the final state that this page had before it was loaded again. Returns its values, or null if it had none.
 * @returns {Record<string, string> | null}
 */
export function resume() {
  const { finished } = history.state ?? {};
  if (!finished) return null;
  fill(finished.values);
  showStep(finished.step);
  return finished.values;
}

/** Replaces the final state of this page with another state. @param {string} step */
export function startAgain(step) {
  history.replaceState(null, '');
  showStep(step);
}
