// Registration, and the link that confirms an address.

import { destination, enterWith, keepNext, onTheWay, recallNext, rememberNext } from './entrance.js';
import { element, onPress, onSubmit, say } from './forms.js';
import { ownFieldsOf } from './own-fields.js';
import { buttonOf, fieldOf, formOf, part } from './parts.js';
import { api, leaveAddress, page, session, takeFromAddress } from './session.js';
import { finish, rest, resume, showStep, startAgain } from './steps.js';
import { nodes, t } from './words.js';

/** @import { Explain, Values } from './types.d.ts' */

export function register() {
  keepNext();
  let email = '';
  const form = formOf('form');
  const field = fieldOf(form, 'email');
  /** @param {Values} values */
  const make = async values => {
    const { email: address = '', password = '', fullName } = values;
    const answer = await api.register({
      ...{ email: address, password, fullName: fullName || null },
      ...ownFieldsOf(form),
    });
    email = answer.email;
    leaveAddress(email);
    form.reset();
    rememberNext();
    // If no verification is required, the account already exists.
    finish('status' in answer ? 'sent' : 'done', { email });
  };
  onSubmit(form, make, ({ code }, region) => {
    if (code !== 'email_taken') return false;
    /** @param {string} text */
    const link = text => element('a', { href: onTheWay('login') }, text);
    say(region, 'danger', ...nodes('page_account_exists', { link }));
    return true;
  });
  document.querySelector('[data-correct]')?.addEventListener('click', () => {
    startAgain('form');
    field.value = email;
    field.select();
  });
  resends(() => email);
  email = resume()?.email ?? '';
}

/** Sets up the button that requests the email again. @param {() => string} email */
function resends(email) {
  const button = buttonOf('[data-resend]');
  const region = part('[data-resent]');
  onPress(button, region, async () => {
    await api.resendVerification({ email: email() });
    rememberNext();
    say(region, 'success', t('page_sent_again_only_the_newest'));
    rest(button);
  });
}

export function verify() {
  const token = takeFromAddress('token');
  if (token) recallNext();
  keepNext();
  let email = '';
  onSubmit(formOf('form[data-step]'), async values => {
    email = values.email ?? '';
    await api.resendVerification({ email });
    rememberNext();
    finish('sent', { email });
  });
  resends(() => email);
  const goOn = part('[data-go-on]', document, HTMLAnchorElement);
  if (session.token) {
    const onward = destination() ?? goOn.dataset.home;
    goOn.href = onward ?? page('me');
    goOn.textContent = onward ? t('page_continue') : t('page_to_your_account');
  }
  if (!token) {
    const values = resume();
    email = values?.email ?? '';
    if (!values) showStep('incomplete');
    return;
  }
  const button = buttonOf('[data-confirm]');
  const region = part('[data-message]');
  /** @param {Values} [values] */
  const confirm = async values => {
    const { email } = await api.verify({ token, ...values });
    // The link is used up.
    history.replaceState(null, '');
    if (values?.password) await enterWith(email, values.password);
    leaveAddress(email);
    finish('done', { email });
  };
  // The host application's template may be older than this form.
  const choice = document.querySelector('[data-step="password"] form');
  /** @type {Explain} */
  const explain = ({ code }) => {
    if (code === 'invalid_token') finish('expired');
    else if (code === 'password_required' && choice) showStep('password');
    else return false;
    return true;
  };
  onPress(button, region, () => confirm(), explain);
  if (choice instanceof HTMLFormElement) onSubmit(choice, confirm, explain);
}
