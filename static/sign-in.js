// Signing in: the login page and the second step.

import {
  destination,
  enter,
  explainUnverified,
  forgetStep,
  goOn,
  isCircle,
  keepNext,
  pendingStep,
} from './entrance.js';
import { element, onPress, onSubmit, say } from './forms.js';
import { startAt } from './oauth.js';
import { fieldOf, formOf, part, partsOf } from './parts.js';
import { watchPasswords } from './password-field.js';
import { connectSecondStep } from './second-step.js';
import { wordsForReturn } from './sentences.js';
import { again, api, beforeProviderKey, leaveNotice, page, sessionState, takeAddress } from './session.js';
import { nodes } from './words.js';

/** @import { Explain } from './types.d.ts' */

export async function login() {
  const form = formOf('form');
  const region = part('[data-message]', form);
  const reason = sayReturn(region);
  // Without that of the dialog.
  const passkeyButtons = partsOf('button[data-passkey]');
  keepNext();
  fillAddress(form);
  /** @type {Explain} */
  const explain = (problem, place) => {
    const { value } = fieldOf(form, 'email');
    // A sign-in with a passkey needs no address.
    return value !== '' && explainUnverified(problem, place, value);
  };
  onSubmit(
    form,
    async ({ email = '', password = '' }) => enter(await api.login({ email, password })),
    explain,
  );
  for (const button of partsOf('button[data-starts]'))
    onPress(button, region, () => startAt(button.dataset.starts ?? '', destination()));
  if (reason === null || reason === signInAgain) await goOnSignedIn(region, reason !== null);
  for (const button of passkeyButtons) {
    const { openPasskeyLogin } = await import('./passkey-login.js');
    openPasskeyLogin(button, region, explain);
  }
}

/** Fills in the address that the page before has left; a reload keeps it. @param {HTMLFormElement} form */
function fillAddress(form) {
  const email = takeAddress() ?? history.state?.email;
  if (!email) return;
  history.replaceState({ ...history.state, email }, '');
  const field = fieldOf(form, 'email');
  if (field.value === '') field.value = email;
  fieldOf(form, 'password').focus();
}

/** The code with which a page of the application asks for a new sign-in. */
const signInAgain = 'recent_sign_in_required';

/**
 * Leads a user who is signed in already to where they were going; after they have signed in again, where a page asks for
 * it or their session lacks the second step. Returns when they have to use the form.
 * @param {HTMLElement} region
 * @param {boolean} mustSignIn
 */
async function goOnSignedIn(region, mustSignIn) {
  const state = await sessionState();
  if (state === 'none') return;
  if (mustSignIn || state === 'incomplete') {
    // Outside of the page until it is needed, so that a password manager finds one form. A host's template may have none.
    const template = document.querySelector('template#sign-in-again-template');
    if (!(template instanceof HTMLTemplateElement)) return;
    document.body.append(template.content);
    watchPasswords(part('#sign-in-again'));
    const { openSignInAgain } = await import('./sign-in-again.js');
    openSignInAgain();
    if (await again.ask()) await goOn();
  } else if (isCircle()) {
    /** @param {string} text */
    const link = text => element('a', { href: destination() ?? page('me') }, text);
    say(region, 'warning', ...nodes('page_not_recognised', { link }));
  } else await goOn();
}

/**
 * Shows why the user was sent here, and removes the code from the address; after a failure at a provider, where the user was
 * going is put back there. Returns the code, or null without a known one.
 * @param {HTMLElement} region
 */
function sayReturn(region) {
  const url = new URL(location.href);
  const code = url.searchParams.get('error');
  const words = wordsForReturn(code);
  if (code === null) return null;
  url.searchParams.delete('error');
  const next = sessionStorage.getItem(beforeProviderKey);
  if (next && !url.searchParams.has('next')) url.searchParams.set('next', next);
  sessionStorage.removeItem(beforeProviderKey);
  history.replaceState(null, '', url);
  if (words) say(region, 'danger', words);
  return words && code;
}

export function secondStep() {
  const pending = pendingStep();
  if (!pending) {
    leaveNotice('sign_in');
    location.replace(page('login'));
    return;
  }
  const again = page('login') + location.search;
  const begin = connectSecondStep(part('main'), {
    done: answer => {
      forgetStep();
      return enter(answer);
    },
    over: (sentence, region) => {
      forgetStep();
      /** @param {string} text */
      const link = text => element('a', { href: again }, text);
      say(region, 'danger', ...nodes('page_new_code_by_signing_in', { link }, { problem: sentence }));
    },
  });
  begin(pending.token, pending.methods);
  part('[data-again]', document, HTMLAnchorElement).href = again;
}
