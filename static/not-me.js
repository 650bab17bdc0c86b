// The link "this was not me" of an email: it closes the account until its owner has chosen a new password.
import { api, session, takeFromAddress } from './client.js';
import { onPress } from './forms.js';
import { buttonOf, part } from './parts.js';
import { finish, resume, showStep } from './steps.js';

export function disown() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  const report = async () => {
    const { message, password_needed } = await api('POST', '/not-me', { token });
    await session.end();
    finish(password_needed ? 'reset' : 'reported', { message });
  };
  onPress(buttonOf('[data-confirm]'), part('[data-message]'), report, ({ code }) => {
    if (code !== 'invalid_token') return false;
    finish('expired');
    return true;
  });
}
