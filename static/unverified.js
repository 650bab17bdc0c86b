// What a page offers when the address of an account is not verified yet.

import { rememberNext } from './entrance.js';
import { element, onPress, say } from './forms.js';
import { wordsFor } from './sentences.js';
import { api } from './session.js';

/** @import { Problem } from './types.d.ts' */

/**
 * Explains the error and offers a new link to this address. Returns whether it was that error.
 * @type {(problem: Problem, region: HTMLElement, email: string) => boolean}
 */
export function explainUnverified(problem, region, email) {
  if (problem.code !== 'email_not_verified') return false;
  const button = element('button', { type: 'button', class: 'link-button' }, 'Send the email again');
  onPress(button, region, async () => {
    await api.resendVerification({ email });
    rememberNext();
    say(region, 'success', 'If the address waits for verification, a new link is on its way.');
  });
  say(region, 'warning', wordsFor(problem), element('div', { class: 'notice-actions' }, button));
  return true;
}
