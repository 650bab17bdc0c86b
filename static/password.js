// A forgotten password: asking for the link, and choosing a new one.
import { api, leaveNotice, page, session, takeFromAddress } from './client.js';
import { onPress, onSubmit, say } from './forms.js';
import { fill, finish, rest, resume, showStep } from './steps.js';

export function forgot() {
  let input;
  onSubmit(document.querySelector('form'), async values => {
    input = values;
    await api('POST', '/forgot-password', input);
    fill(input);
    showStep('sent');
  });
  const button = document.querySelector('[data-resend]');
  const region = document.querySelector('[data-resent]');
  onPress(button, region, async () => {
    await api('POST', '/forgot-password', input);
    say(region, 'success', 'Sent again. Any of the links works, once.');
    rest(button);
  });
}

export function reset() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  const save = async ({ new_password }) => {
    await api('POST', '/reset-password', { token, new_password });
    history.replaceState(null, '');
    session.end();
    leaveNotice('password_changed');
    location.replace(page('login'));
    return new Promise(() => {});
  };
  onSubmit(document.querySelector('form'), save, ({ code }) => {
    if (code !== 'invalid_token') return false;
    finish('expired');
    return true;
  });
}
