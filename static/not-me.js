// The link "this was not me" of an email: it ends every session, and then puts the account back with the former password.
import { api, session, takeFromAddress } from './client.js';
import { onPress, onSubmit } from './forms.js';
import { buttonOf, formOf, part } from './parts.js';
import { finish, resume, showStep } from './steps.js';

export function disown() {
  const token = takeFromAddress('token');
  if (!token) return resume() || showStep('incomplete');
  const report = async () => {
    const { message, password_needed } = await api('POST', '/not-me', { token });
    await session.end();
    if (password_needed) showStep('password');
    else finish('reported', { message });
  };
  onPress(buttonOf('[data-confirm]'), part('[data-message]'), report, ({ code }) => {
    if (code !== 'invalid_token') return false;
    // Whether it can still be used with a password is known once there is one.
    showStep('used');
    return true;
  });
  onSubmit(
    formOf('form'),
    async ({ password, new_password }) => {
      const { message } = await api('POST', '/not-me', { token, password, new_password });
      await session.end();
      finish('done', { message });
    },
    ({ code }) => {
      if (code !== 'invalid_token') return false;
      finish('expired');
      return true;
    },
  );
}
