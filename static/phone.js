// The second factor: setting up a phone, and removing it.

import { onPress, onSubmit, say } from './forms.js';
import { buttonOf, fieldOf, formOf, part } from './parts.js';
import { api } from './session.js';
import { t } from './words.js';

/** @import { Explain, ProblemCode } from './types.d.ts' */

/** Survives switching to the text message and back, on a phone that discards its tabs. */
const pendingKey = 'svc.phone_pending_token';

/**
 * Returns a phone number as the API takes it: without the spaces, dots, dashes and brackets that people write. @param
 * {string} number
 */
const plain = number => number.replace(/[\s().-]/g, '').replace(/^00/, '+');

/**
 * Connects the forms of the second factor; if it is off, the page has none.
 * @param {() => Promise<void>} refresh
 * @param {(form: string, sentence: string) => void} done
 * @param {Explain} withoutPassword
 */
export function openPhone(refresh, done, withoutPassword) {
  if (!document.getElementById('phone-start')) return;
  const [start, confirm, remove] = [
    formOf('#phone-start'),
    formOf('#phone-confirm'),
    formOf('#phone-remove'),
  ];
  if (start.dataset.isOpen) return;
  start.dataset.isOpen = 'yes';

  const number = fieldOf(start, 'phone_number');
  const panel = start.closest('details');
  panel?.addEventListener('toggle', () => {
    if (panel.open && number.value === '' && number.checkVisibility()) number.focus();
  });

  /** @param {boolean} isWaiting */
  const ask = isWaiting => {
    start.hidden = isWaiting;
    confirm.hidden = !isWaiting;
  };
  const startOver = () => {
    sessionStorage.removeItem(pendingKey);
    ask(false);
    number.focus();
  };

  onSubmit(
    start,
    async ({ phoneNumber = '', currentPassword }) => {
      const answer = await api.startPhoneSetup({ phoneNumber: plain(phoneNumber), currentPassword });
      sessionStorage.setItem(pendingKey, answer.pendingToken);
      start.reset();
      ask(true);
      fieldOf(confirm, 'code').focus();
    },
    withoutPassword,
  );
  /** @type {ProblemCode[]} */
  const used = ['LOCKED', 'mfa_code_expired', 'mfa_code_missing', 'invalid_token'];
  onSubmit(
    confirm,
    async ({ code = '' }) => {
      const pendingToken = sessionStorage.getItem(pendingKey) ?? '';
      await api.confirmPhoneSetup({ pendingToken, code: code.replace(/\s/g, '') });
      sessionStorage.removeItem(pendingKey);
      // Said before anything that could ask for a new sign-in.
      const endsOthers = confirm.querySelector('[name=end_other_sessions]:checked') !== null;
      done('phone-confirm', t('page_two_step_verification_is_on'));
      ask(false);
      if (endsOthers) await api.endOtherSessions();
      await refresh();
    },
    ({ code }) => {
      if (!used.includes(code)) return false;
      startOver();
      say(part('[data-message]', start), 'warning', t('page_that_code_is_no_longer'));
      return true;
    },
  );
  onPress(buttonOf('[data-start-over]', confirm), part('[data-message]', confirm), startOver);
  onSubmit(
    remove,
    async values => {
      await api.disablePhone(values);
      await refresh();
      done('phone-remove', t('page_your_phone_is_removed_no'));
    },
    withoutPassword,
  );
  ask(sessionStorage.getItem(pendingKey) !== null);
}
