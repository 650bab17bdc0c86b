// The link that makes a new address the account's own.
import { api, session, takeFromAddress } from './client.js';
import { onPress } from './forms.js';
import { finish, resume, showStep } from './steps.js';

export function confirm() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  const work = async () => {
    const { email } = await api('POST', '/confirm-email-change', { token });
    // Every session was ended by it, this browser's too.
    session.end();
    finish('done', { email });
  };
  const button = document.querySelector('[data-confirm]');
  onPress(button, document.querySelector('[data-message]'), work, ({ code }) => {
    const step = { invalid_token: 'expired', email_taken: 'taken' }[code];
    if (step) finish(step);
    return step !== undefined;
  });
}
