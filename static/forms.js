// Forms: an error is shown beside its field and in one message, as a sentence; a busy button shows that it is.
import { GatehouseError } from '../src/client/core.ts';
import { buttonOf, camelCase, icon, part } from './parts.js';
import { examine, lengths } from './password-rules.js';
import { inWords, onClock, wordsFor } from './sentences.js';
import { nodes, t } from './words.js';

/** @import { Explain, Problem, Values } from './types.d.ts' */
/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

/** The countdown of each region that has one. @type {WeakMap<HTMLElement, number>} */
const countdowns = new WeakMap();

/**
 * Creates an element; functions become listeners, and strings text, never markup (XSS).
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | boolean | null | undefined | ((event: Event) => void)>} [attributes]
 * @param {(string | Node | null | undefined)[]} children
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key, value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter(child => child != null));
  return made;
}

/**
 * Shows a message in a live region: `kind` is success, warning, danger or empty; no children clear it.
 * @param {HTMLElement} region
 * @param {string} [kind]
 * @param {(string | Node | null | undefined)[]} children
 */
export function say(region, kind, ...children) {
  clearInterval(countdowns.get(region));
  const shown = children.filter(child => child != null && child !== '').flatMap(withContact);
  const picture = kind && shown.length > 0 ? icon(kind) : null;
  region.className = ['notice', kind && `notice-${kind}`, picture && 'with-icon'].filter(Boolean).join(' ');
  region.replaceChildren(...(picture ? [picture] : []), ...shown);
}

const { svcSupport = '', svcSupportUrl } = document.body.dataset;

/** Makes a link of the contact that a sentence names. @param {string | Node | null | undefined} child @returns {(string | Node)[]} */
function withContact(child) {
  if (child == null) return [];
  if (typeof child !== 'string' || !svcSupport || !svcSupportUrl || !child.includes(svcSupport))
    return [child];
  const [before = '', ...after] = child.split(svcSupport);
  return [before, element('a', { href: svcSupportUrl }, svcSupport), after.join(svcSupport)];
}

/**
 * Shows a problem, with a countdown if it says when to try again. `words` returns the sentence for a problem.
 * @param {HTMLElement} region
 * @param {Problem} problem
 * @param {(problem: Problem) => string} [words]
 */
export function sayProblem(region, problem, words = wordsFor) {
  const seconds = problem.status === 429 ? problem.retryAfter : undefined;
  if (!seconds) return say(region, 'danger', words(problem));
  // The running seconds are only visual; a screen reader announces the time once.
  const clock = element('span', { 'aria-hidden': 'true' });
  const spoken = element('span', { class: 'visually-hidden' }, inWords(seconds));
  const both = document.createDocumentFragment();
  both.append(spoken, clock);
  say(
    region,
    'danger',
    ...nodes('page_problem_try_again_in', { clock: () => both }, { problem: words(problem) }),
  );
  /** @param {number} left */
  const show = left => {
    clock.textContent = onClock(left);
  };
  const timer = countDown(seconds, show, () => say(region, 'success', t('page_you_can_try_again_now')));
  countdowns.set(region, timer);
}

/**
 * Calls `each` with the seconds that are left, now and every second, then `done`. Returns the timer.
 * @param {number} seconds
 * @param {(left: number) => void} each
 * @param {() => void} done
 */
export function countDown(seconds, each, done) {
  const end = Date.now() + seconds * 1000;
  each(Math.ceil(seconds));
  const timer = window.setInterval(() => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left > 0) return each(left);
    clearInterval(timer);
    done();
  }, 1000);
  return timer;
}

/**
 * Runs work while the button is busy; pressing it again meanwhile has no effect.
 * @template T
 * @param {Element} button
 * @param {() => Promise<T>} work
 */
export async function busy(button, work) {
  if (button.getAttribute('aria-busy') === 'true') return;
  button.setAttribute('aria-busy', 'true');
  try {
    return await work();
  } finally {
    button.removeAttribute('aria-busy');
  }
}

/** Returns anything thrown as a problem; an unexpected error is also logged to the console. @param {unknown} error */
export function toProblem(error) {
  if (error instanceof GatehouseError) return error;
  console.error(error);
  return new GatehouseError('internal_error', t('page_something_unexpected_went_wrong'));
}

/**
 * Submits a form with `work(values)`, whose names are in camelCase: validates it first, shows errors beside the field that they are about or in the
 * form's message, and moves the focus there. `explain` may show an error in its own way.
 * @param {HTMLFormElement} form
 * @param {(values: Values) => Promise<unknown>} work
 * @param {Explain} [explain]
 */
export function onSubmit(form, work, explain = () => false) {
  const region = part('[data-message]', form);
  const button = buttonOf('[type=submit]', form);
  const voice = document.createElement('p');
  voice.className = 'visually-hidden';
  voice.ariaLive = 'assertive';
  form.append(voice);
  /**
   * A screen reader does not read a field again that already has the focus, so its error is announced. @param {Field}
   * field
   */
  const goTo = field => {
    if (document.activeElement === field) {
      voice.textContent = document.getElementById(`${field.id}-error`)?.textContent ?? '';
    }
    field.focus();
  };
  /** Whether the message says no more than that fields are marked. */
  let isAboutMarks = false;
  form.noValidate = true;
  button.disabled = false;
  form.addEventListener('input', ({ target }) => {
    if (!isField(target)) return;
    markField(target, '');
    if (!isAboutMarks || form.querySelector('[aria-invalid=true]')) return;
    isAboutMarks = false;
    say(region, '');
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    busy(button, async () => {
      say(region, '');
      isAboutMarks = false;
      voice.textContent = '';
      const [wrong] = fieldsOf(form).filter(field => !markField(field, complaintOf(field)));
      if (wrong) return goTo(wrong);
      try {
        await work(Object.fromEntries(fieldsOf(form).map(({ name, value }) => [camelCase(name), value])));
      } catch (error) {
        const problem = toProblem(error);
        const marked = problem.errors.map(({ path, message }) => markPath(form, path, message));
        const about = fieldAbout(form, problem.code);
        if (explain(problem, region)) about?.setAttribute('aria-invalid', 'true');
        else if (about) markField(about, wordsFor(problem));
        else {
          sayProblem(region, problem);
          isAboutMarks = marked.length > 0 && marked.every(Boolean);
        }
        const field = marked.find(Boolean) ?? about;
        if (field) goTo(field);
        if (about instanceof HTMLInputElement) about.select();
      }
    });
  });
}

/**
 * Like `onSubmit`, for a button without a form. One that is `aria-disabled` keeps its focus, and does nothing.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} region
 * @param {() => unknown} work
 * @param {Explain} [explain]
 */
export function onPress(button, region, work, explain = () => false) {
  button.disabled = false;
  button.addEventListener('click', () => {
    if (button.ariaDisabled === 'true') return;
    busy(button, async () => {
      say(region, '');
      try {
        await work();
      } catch (error) {
        const problem = toProblem(error);
        if (!explain(problem, region)) sayProblem(region, problem);
      }
    });
  });
}

const notAnAddress = t('page_this_is_not_an_email');

/** @param {unknown} target @returns {target is Field} */
const isField = target => target instanceof HTMLInputElement || target instanceof HTMLSelectElement;

/** @param {HTMLFormElement} form */
const fieldsOf = form => [...form.elements].filter(isField).filter(({ name }) => name !== '');

/** Returns what is wrong with a field before anything is sent, as a sentence, or an empty text. @param {Field} field */
function complaintOf(field) {
  const { form, validity, value, autocomplete, dataset } = field;
  if (validity.valueMissing)
    return t('page_enter_field', {
      whose: form?.dataset.whose ?? 'your',
      name: inSentence(labelOf(field)).replace(/^your /, ''),
    });
  if (validity.badInput) return t('page_field_incomplete', { label: labelOf(field) });
  if (validity.typeMismatch) return notAnAddress;
  if (dataset.digits && value.replace(/\s/g, '').length !== Number(dataset.digits)) {
    const hint =
      document.getElementById(`${field.id}-hint`)?.textContent ??
      t('page_the_digits', { digits: dataset.digits });
    return t('page_enter_digits', { digits: `${inSentence(hint.slice(0, 1))}${hint.slice(1)}` });
  }
  if (dataset.same && value.trim().toLowerCase() !== dataset.same)
    return t('page_this_is_not', { address: dataset.same });
  if (!(field instanceof HTMLInputElement) || autocomplete !== 'new-password') return '';
  const { length, refusedBy, words } = examine(field);
  if (refusedBy === 'least') return t('page_use_at_least', { least: lengths.least, length });
  return refusedBy === 'most' ? t('page_use_at_most', { most: lengths.most, length }) : words;
}

/** Returns a label as it stands within a sentence; only English changes its first letter. @param {string} label */
const inSentence = label => (document.documentElement.lang.startsWith('en') ? label.toLowerCase() : label);

/** @param {Field} field */
const labelOf = field => field.labels?.[0]?.textContent.trim() ?? t('page_this');

/**
 * Marks a field as invalid, or as valid when the complaint is empty. Returns whether it is valid.
 * @param {Field} field
 * @param {string} complaint
 */
export function markField(field, complaint) {
  const error = document.getElementById(`${field.id}-error`);
  if (!error) return true;
  error.textContent = complaint;
  if (complaint) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
  return !complaint;
}

/**
 * Marks the field that an input error of the API is about; its message continues the field's name.
 * @type {(form: HTMLFormElement, path: string, message: string) => Field | null}
 */
function markPath(form, path, message) {
  const field = fieldsOf(form).find(({ name }) => camelCase(name) === path);
  if (!field) return null;
  markField(
    field,
    field.type === 'email' ? notAnAddress : t('page_field_wrong', { label: labelOf(field), message }),
  );
  return field;
}

/**
 * Returns the field that a code is about: fields list their codes in `data-codes`.
 * @type {(form: HTMLFormElement, code: string) => Field | undefined}
 */
function fieldAbout(form, code) {
  return fieldsOf(form).find(({ dataset }) => dataset.codes?.split(' ').includes(code));
}
