// The second factor: setting a phone up, and taking it off.
import { api } from './client.js';
import { onPress, onSubmit, say } from './forms.js';

/** Survives the way to the text message and back, on a phone that forgets its tabs. */
const pendingKey = 'svc.phone_pending_token';

/** As people write numbers: without spaces, dots, dashes and brackets they are what the API takes. */
const plain = number => number.replace(/[\s().-]/g, '').replace(/^00/, '+');

/** Where the second factor is off, the page has no form for it. */
export function openPhone(show, done, withoutPassword) {
  const start = document.getElementById('phone-start');
  const confirm = document.getElementById('phone-confirm');
  const remove = document.getElementById('phone-remove');
  if (!start || start.dataset.isOpen) return;
  start.dataset.isOpen = 'yes';

  const ask = isWaiting => {
    start.hidden = isWaiting;
    confirm.hidden = !isWaiting;
  };
  const startOver = () => {
    sessionStorage.removeItem(pendingKey);
    ask(false);
    start.elements.phone_number.focus();
  };

  onSubmit(
    start,
    async ({ phone_number, current_password }) => {
      const answer = await api('POST', '/phone/start', {
        phone_number: plain(phone_number),
        current_password,
      });
      sessionStorage.setItem(pendingKey, answer.pending_token);
      start.reset();
      ask(true);
      confirm.elements.code.focus();
    },
    withoutPassword,
  );
  const used = ['LOCKED', 'mfa_code_expired', 'mfa_code_missing', 'invalid_token'];
  onSubmit(
    confirm,
    async ({ code }) => {
      const input = { pending_token: sessionStorage.getItem(pendingKey), code: code.replace(/\s/g, '') };
      const user = await api('POST', '/phone/confirm', input);
      sessionStorage.removeItem(pendingKey);
      ask(false);
      done('phone-confirm', 'Two-step verification is on. You get a code when you sign in.');
      show(user);
    },
    ({ code }) => {
      if (!used.includes(code)) return false;
      startOver();
      say(
        start.querySelector('[data-message]'),
        'warning',
        'That code does not count any more. Ask for a new one.',
      );
      return true;
    },
  );
  onPress(confirm.querySelector('[data-start-over]'), confirm.querySelector('[data-message]'), startOver);
  onSubmit(
    remove,
    async values => {
      await api('DELETE', '/phone', values);
      show(await api('GET', '/me'));
      done('phone-remove', 'Two-step verification is off.');
    },
    withoutPassword,
  );
  ask(sessionStorage.getItem(pendingKey) !== null);
}
