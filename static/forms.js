// Forms: what is wrong stands beside its field and in one message, in words; a button that works shows it.
import { Problem } from './client.js';
import { inWords, onClock, wordsFor } from './words.js';

/** Makes an element; functions become listeners, and strings text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter(child => child != null));
  return made;
}

/** Shows a message in a live region: `kind` is success, warning, danger or empty; no children clear it. */
export function say(region, kind, ...children) {
  clearInterval(region.countdown);
  region.className = kind ? `notice notice-${kind}` : 'notice';
  region.replaceChildren(...children.filter(child => child != null));
}

/** Shows a problem; one that tells when to try again counts down to it. `more` are further elements. */
export function sayProblem(region, problem, ...more) {
  const seconds = problem.status === 429 ? problem.retryAfterSeconds : undefined;
  if (!seconds) return say(region, 'danger', wordsFor(problem), ...more);
  // The seconds that run are for eyes; a screen reader hears the time once.
  const clock = element('span', { 'aria-hidden': 'true' });
  const spoken = element('span', { class: 'visually-hidden' }, inWords(seconds));
  say(region, 'danger', `${wordsFor(problem)} Try again in `, spoken, clock, '.', ...more);
  const show = left => {
    clock.textContent = onClock(left);
  };
  region.countdown = countDown(seconds, show, () => say(region, 'success', 'You can try again now.'));
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

/** Turns anything thrown into a problem; what nobody foresaw goes to the console. */
export function toProblem(error) {
  if (error instanceof Problem) return error;
  console.error(error);
  return new Problem({ code: 'internal_error', detail: 'Something unexpected went wrong.' });
}

/**
 * Sends a form with `work(values)`: looks at it first, says what is wrong beside the field that it is about or in the
 * form's message, and puts the focus there. `explain(problem, region)` may say it in its own way, by answering true.
 */
export function onSubmit(form, work, explain = () => false) {
  const region = form.querySelector('[data-message]');
  const button = form.querySelector('[type=submit]');
  const voice = document.createElement('p');
  voice.className = 'visually-hidden';
  voice.ariaLive = 'assertive';
  form.append(voice);
  /** A field that has the focus already is not read once more, so its complaint is said. */
  const goTo = field => {
    if (document.activeElement === field) {
      voice.textContent = document.getElementById(`${field.id}-error`)?.textContent ?? '';
    }
    field.focus();
  };
  form.noValidate = true;
  button.disabled = false;
  form.addEventListener('input', ({ target }) => markField(target, ''));
  form.addEventListener('submit', event => {
    event.preventDefault();
    busy(button, async () => {
      say(region, '');
      voice.textContent = '';
      const wrong = [...form.elements].filter(field => field.name && !markField(field, complaintOf(field)));
      if (wrong.length > 0) return goTo(wrong[0]);
      try {
        await work(Object.fromEntries(new FormData(form)));
      } catch (error) {
        const problem = toProblem(error);
        const marked = problem.errors.map(({ path, message }) => markPath(form, path, message));
        const about = fieldAbout(form, problem.code);
        if (explain(problem, region)) about?.setAttribute('aria-invalid', 'true');
        else if (about) markField(about, wordsFor(problem));
        else sayProblem(region, problem);
        const field = marked.find(Boolean) ?? about;
        if (field) goTo(field);
        about?.select();
      }
    });
  });
}

/** As `onSubmit`, for a button that needs no form. */
export function onPress(button, region, work, explain = () => false) {
  button.disabled = false;
  button.addEventListener('click', () =>
    busy(button, async () => {
      say(region, '');
      try {
        await work();
      } catch (error) {
        const problem = toProblem(error);
        if (!explain(problem, region)) sayProblem(region, problem);
      }
    }),
  );
}

const notAnAddress = 'This is not an email address, such as ada@example.org.';

/** What is wrong with a field before anything is sent, in a sentence, or nothing. */
function complaintOf(field) {
  const { validity, value, autocomplete, dataset } = field;
  if (validity.valueMissing)
    return `Enter your ${labelOf(field)
      .toLowerCase()
      .replace(/^your /, '')}.`;
  if (validity.typeMismatch) return notAnAddress;
  if (dataset.digits && value.replace(/\s/g, '').length !== Number(dataset.digits))
    return `Enter the ${dataset.digits} digits of the text message.`;
  if (dataset.same && value.trim().toLowerCase() !== dataset.same) return `This is not ${dataset.same}.`;
  if (autocomplete !== 'new-password') return '';
  const length = lengthOf(value);
  if (length < 8) return `Use at least 8 characters; this has ${length}.`;
  return length > 128 ? `Use at most 128 characters; this has ${length}.` : '';
}

const labelOf = field => field.labels[0]?.textContent.trim() ?? 'This';

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
  markField(field, field.type === 'email' ? notAnAddress : `${labelOf(field)} ${message}.`);
  return field;
}

/** The field that a code is about: those that have one list their codes in `data-codes`. */
function fieldAbout(form, code) {
  return [...form.elements].find(({ dataset }) => dataset.codes?.split(' ').includes(code));
}
