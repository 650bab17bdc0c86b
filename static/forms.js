// Forms: what is wrong stands beside its field and in one message, in words; a button that works shows it.
import { Problem } from './client.js';

/** Makes an element; strings become text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter(child => child != null));
  return made;
}

/** What people read for an error of the API; the API's own sentence where nothing here says it better. */
export function wordsFor(problem) {
  const { code, attemptsRemaining } = problem;
  if (code === 'network')
    return 'The server cannot be reached. Check your connection and try again; what you entered is still here.';
  if (code === 'unavailable')
    return 'The service does not answer at the moment. Try again shortly; what you entered is still here.';
  if (code === 'internal_error')
    return 'Something went wrong on our side. Try again; if it stays so, tell the people who run this site.';
  if (code === 'invalid_input') return 'Something is not as it should be. Look at the marked fields.';
  if (code === 'mfa_code_wrong' && attemptsRemaining !== undefined)
    return `That code is wrong. You have ${attemptsRemaining} ${attemptsRemaining === 1 ? 'try' : 'tries'} left.`;
  if (code === 'account_locked') return 'Too many failed attempts.';
  if (code === 'rate_limited') return 'Too many requests.';
  return problem.message;
}

/** Shows a message in a live region: `kind` is success, warning, danger or empty; children are text or elements. */
export function say(region, kind, ...children) {
  clearInterval(region.countdown);
  region.className = kind ? `notice notice-${kind}` : 'notice';
  region.replaceChildren(...children.filter(child => child != null));
  region.hidden = children.length === 0;
}

/** Shows a problem; one that tells when to try again counts down to it. `more` are further elements. */
export function sayProblem(region, problem, ...more) {
  const seconds = problem.status === 429 ? problem.retryAfterSeconds : undefined;
  if (!seconds) return say(region, 'danger', wordsFor(problem), ...more);
  const clock = element('span', { 'aria-hidden': 'true' });
  const spoken = element('span', { class: 'visually-hidden' }, inWords(seconds));
  say(region, 'danger', `${wordsFor(problem)} Try again in `, spoken, clock, '.', ...more);
  region.countdown = countDown(
    seconds,
    left => {
      clock.textContent = onClock(left);
    },
    () => say(region, 'success', 'You can try again now.'),
  );
}

/** Calls `each` with the seconds that are left, now and every second, then `done`; answers the timer. */
export function countDown(seconds, each, done) {
  const end = Date.now() + seconds * 1000;
  each(Math.ceil(seconds));
  const timer = setInterval(() => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left > 0) return each(left);
    clearInterval(timer);
    done();
  }, 1000);
  return timer;
}

const onClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function inWords(seconds) {
  const [count, unit] = seconds < 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Runs work while the button is busy; a second press meanwhile does nothing. */
export async function busy(button, work) {
  if (button.getAttribute('aria-busy') === 'true') return;
  button.setAttribute('aria-busy', 'true');
  try {
    return await work();
  } finally {
    button.removeAttribute('aria-busy');
  }
}

/**
 * Sends a form with `work(values, form)`: checks it first, shows what is wrong, and puts the focus there. `explain`
 * may show a problem in its own way by answering true.
 */
export function onSubmit(form, work, explain = () => false) {
  const region = form.querySelector('[data-message]');
  const button = form.querySelector('[type=submit]');
  form.noValidate = true;
  form.addEventListener('input', event => markField(event.target, ''));
  form.addEventListener('submit', event => {
    event.preventDefault();
    busy(button, async () => {
      say(region, '');
      const wrong = [...form.elements].filter(field => field.name && !markField(field, complaintOf(field)));
      if (wrong.length > 0) return wrong[0].focus();
      try {
        await work(Object.fromEntries(new FormData(form)), form);
      } catch (error) {
        const problem = error instanceof Problem ? error : unforeseen(error);
        const [first] = problem.errors
          .map(({ path, message }) => markPath(form, path, message))
          .filter(Boolean);
        if (!explain(problem, region)) sayProblem(region, problem);
        (first ?? fieldOf(form, problem.code))?.focus();
      }
    });
  });
}

function unforeseen(error) {
  console.error(error);
  return new Problem({ code: 'internal_error', detail: 'Something unexpected went wrong.' });
}

/** What is wrong with a field before anything is sent, in a sentence, or nothing. */
function complaintOf(field) {
  if (field.validity.valueMissing) return field.dataset.missing ?? 'Fill this in.';
  if (field.validity.typeMismatch) return 'This is not an email address, such as ada@example.org.';
  if (field.validity.patternMismatch) return field.dataset.pattern ?? 'This does not have the right form.';
  if (field.autocomplete === 'new-password') {
    const length = lengthOf(field.value);
    if (length < 8) return `Use at least 8 characters; this has ${length}.`;
    if (length > 128) return `Use at most 128 characters; this has ${length}.`;
  }
  return '';
}

/** The length of a password as the server counts it: Unicode code points, after NFKC. */
export const lengthOf = password => [...password.normalize('NFKC')].length;

/** Marks a field as wrong, or as right when the complaint is empty; answers whether it is right. */
export function markField(field, complaint) {
  const error = document.getElementById(`${field.id}-error`);
  if (!error) return true;
  error.textContent = complaint;
  if (complaint) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
  return !complaint;
}

/** Marks the field that an input error of the API is about; its message continues the field's name. */
function markPath(form, path, message) {
  const field = form.elements.namedItem(path);
  if (!field?.id) return null;
  const label = form.querySelector(`label[for="${field.id}"]`)?.textContent.trim() ?? 'This';
  markField(field, `${label} ${message}.`);
  return field;
}

/** Which field a code is about: `data-codes` on the field lists them. */
function fieldOf(form, code) {
  const field = [...form.elements].find(({ dataset }) => dataset.codes?.split(' ').includes(code));
  field?.select?.();
  return field;
}
