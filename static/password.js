// Passwords that are chosen by a link: requesting the link of a forgotten one, and choosing one.

import { keepNext, onTheWay, recallNext, rememberNext } from './entrance.js';
import { onPress, onSubmit, say } from './forms.js';
import { buttonOf, formOf, part } from './parts.js';
import { api, leaveNotice, session, takeFromAddress } from './session.js';
import { finish, rest, resume, showStep } from './steps.js';

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
    say(region, 'success', 'Sent again. Any of the links works, once.');
    rest(button);
  });
  email = resume()?.email ?? '';
}

export const reset = () =>
  choose('password_changed', (token, { newPassword = '' }) => api.resetPassword({ token, newPassword }));

export const accept = () =>
  choose('password_chosen', (token, { password = '' }) => api.acceptInvitation({ token, password }));

/**
 * Sets up the form of a page that a link in an email opens; the login page follows, with a notice.
 * @param {string} notice
 * @param {(token: string, values: Values) => Promise<unknown>} send
 */
function choose(notice, send) {
  const token = takeFromAddress('token');
  if (token) recallNext();
  keepNext();
  if (!token) return resume() || showStep('incomplete');
  /** @param {Values} values */
  const save = async values => {
    await send(token, values);
    history.replaceState(null, '');
    await session.end();
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
