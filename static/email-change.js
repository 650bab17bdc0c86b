// The link that confirms the new address of an account.
import { api, session, takeFromAddress } from './client.js';
import { onPress } from './forms.js';
import { buttonOf, part } from './parts.js';
import { finish, resume, showStep } from './steps.js';

export function confirm() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  const work = async () => {
    const { email } = await api('POST', '/confirm-email-change', { token });
    // The change ended every session, this browser's too.
    await session.end();
    finish('done', { email });
  };
  onPress(buttonOf('[data-confirm]'), part('[data-message]'), work, ({ code }) => {
    if (code === 'invalid_token') finish('expired');
    else if (code === 'email_taken') finish('taken');
    else return false;
    return true;
  });
}
