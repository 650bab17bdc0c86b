// The link that confirms the new address of an account.

import { onPress, onSubmit } from './forms.js';
import { buttonOf, part } from './parts.js';
import { api, leaveAddress, session, takeFromAddress } from './session.js';
import { finish, resume, showStep } from './steps.js';

/** @import { Explain, Values } from './types.d.ts' */

export function confirm() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  /** @param {Values} [values] */
  const work = async values => {
    const { email } = await api.confirmEmailChange({ token, ...values });
    // The change ended every session, this browser's too.
    await session.end();
    leaveAddress(email);
    finish('done', { email });
  };
  // The host application's template may be older than this form.
  const proof = document.querySelector('[data-step="password"] form');
  /** @type {Explain} */
  const explain = ({ code }) => {
    if (code === 'invalid_token') finish('expired');
    else if (code === 'email_taken') finish('taken');
    else if (code === 'password_required' && proof) showStep('password');
    else return false;
    return true;
  };
  onPress(buttonOf('[data-confirm]'), part('[data-message]'), () => work(), explain);
  if (proof instanceof HTMLFormElement) onSubmit(proof, work, explain);
}
