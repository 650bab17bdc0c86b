// The link that makes a new address the account's own.
import { api, session, takeFromAddress } from './client.js';
import { onPress } from './forms.js';
import { fill, showStep } from './steps.js';

export function confirm() {
  const token = takeFromAddress('token');
  if (!token) return showStep('incomplete');
  const work = async () => {
    const { email } = await api('POST', '/confirm-email-change', { token });
    history.replaceState(null, '');
    // Every session was ended by it, this browser's too.
    session.end();
    fill({ email });
    showStep('done');
  };
  const button = document.querySelector('[data-confirm]');
  onPress(button, document.querySelector('[data-message]'), work, ({ code }) => {
    const step = { invalid_token: 'expired', email_taken: 'taken' }[code];
    if (step) showStep(step);
    return step !== undefined;
  });
}
