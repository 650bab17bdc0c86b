// The link "this was not me" of an email: it closes the account until its owner has chosen a new password.

import { onPress } from './forms.js';
import { buttonOf, part } from './parts.js';
import { api, session, takeFromAddress } from './session.js';
import { finish, resume, showStep } from './steps.js';

export function disown() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  const report = async () => {
    const { message, passwordNeeded } = await api.reportNotMe({ token });
    await session.end();
    finish(passwordNeeded ? 'reset' : 'reported', { message });
  };
  onPress(buttonOf('[data-confirm]'), part('[data-message]'), report, ({ code }) => {
    if (code !== 'invalid_token') return false;
    finish('expired');
    return true;
  });
}
