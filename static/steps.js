// Pages that have several states name in `data-step` which of them a part belongs to, and show one.
import { countDown } from './forms.js';
import { onClock } from './words.js';

/** How long a person waits before asking for another mail, in seconds. */
const pauseSeconds = 30;

/** Shows one state of the page; its heading gets the focus and names the page. */
export function showStep(name) {
  for (const step of document.querySelectorAll('[data-step]'))
    step.hidden = !step.dataset.step.split(' ').includes(name);
  const heading = document.querySelector(`[data-step="${name}"] h1`);
  if (!heading) return;
  document.title = document.title.replace(/^.*(?= · )/, () => heading.textContent);
  heading.tabIndex = -1;
  heading.focus();
}

/** Fills in what a state says of this person: `data-fill="email"`. */
export function fill(values) {
  for (const [name, value] of Object.entries(values)) {
    for (const place of document.querySelectorAll(`[data-fill="${name}"]`)) place.textContent = value;
  }
}

/** Lets a button rest after it was used, and says until when. */
export function rest(button) {
  const label = button.textContent;
  button.disabled = true;
  const show = left => {
    button.textContent = `${label} (${onClock(left)})`;
  };
  const done = () => {
    button.disabled = false;
    button.textContent = label;
  };
  countDown(pauseSeconds, show, done);
}

/** Shows where this page has ended; a reload shows it again, as its link is of no more use. */
export function finish(step, values = {}) {
  history.replaceState({ finished: { step, values } }, '');
  resume();
}

/** Shows where this page had ended before it was loaded once more; answers whether it had. */
export function resume() {
  const { finished } = history.state ?? {};
  if (!finished) return false;
  fill(finished.values);
  showStep(finished.step);
  return true;
}
