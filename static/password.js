// Passwords that are chosen by a link: requesting the link of a forgotten one, and choosing one.

import { enterWith, keepNext, onTheWay, recallNext, rememberNext } from './entrance.js';
import { onPress, onSubmit, say } from './forms.js';
import { buttonOf, fill, formOf, part, partsOf } from './parts.js';
import { api, leaveNotice, takeFromAddress } from './session.js';
import { finish, rest, resume, showStep } from './steps.js';
import { t } from './words.js';

/** @import { Values } from './types.d.ts' */

export function forgot() {
  keepNext();
  let email = '';
  onSubmit(formOf('form'), async values => {
    email = values.email ?? '';
    await api.forgotPassword({ email });
    rememberNext();
    finish('sent', { email });
  });
  const button = buttonOf('[data-resend]');
  const region = part('[data-resent]');
  onPress(button, region, async () => {
    await api.forgotPassword({ email });
    rememberNext();
    say(region, 'success', t('page_sent_again_any_of_the'));
    rest(button);
  });
  email = resume()?.email ?? '';
}

/** Returns what a form with a new password says about API keys; nothing while there are none. @param {HTMLFormElement} form */
export const endsApiKeys = form =>
  form.querySelector('[name=end_api_keys]:checked') ? { endApiKeys: true } : {};

export const reset = () =>
  choose('password_changed', async (token, { newPassword = '' }) => {
    await api.resetPassword({ token, newPassword, ...endsApiKeys(formOf('form')) });
    return newPassword;
  });

export const accept = () =>
  choose('password_chosen', async (token, { password = '' }) => {
    await api.acceptInvitation({ token, password });
    return password;
  });

/**
 * Sets up the form of a page that a link in an email opens, and signs in with the password that was chosen there. Where that
 * is refused, the login page follows with a notice.
 * @param {string} notice
 * @param {(token: string, values: Values) => Promise<string>} send sets the password, and returns it
 */
function choose(notice, send) {
  const token = takeFromAddress('token');
  if (token) recallNext();
  keepNext();
  if (!token) return resume() || showStep('incomplete');
  const email = textInToken(token, 'email');
  fill({ email });
  // For password managers, and for the words that are not good enough for this person.
  for (const field of partsOf('input[data-username]')) field.value = email ?? '';
  /** @param {Values} values */
  const save = async values => {
    const password = await send(token, values);
    history.replaceState(null, '');
    await enterWith(email, password);
    leaveNotice(notice);
    location.replace(onTheWay('login'));
    return new Promise(() => {});
  };
  onSubmit(formOf('form'), save, ({ code }) => {
    if (code !== 'invalid_token') return false;
    finish('expired');
    return true;
  });
}

/**
 * Returns one text of a token's payload, which anybody can read and which nothing decides by; null where it has none.
 * @param {string} token
 * @param {string} name
 * @returns {string | null}
 */
function textInToken(token, name) {
  const [, payload = ''] = token.split('.');
  try {
    const { [name]: text } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof text === 'string' ? text : null;
  } catch {
    // The service says what is wrong with it.
    return null;
  }
}
