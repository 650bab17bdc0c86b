// The dialog in which people sign in again, within their session, before they change how they sign in.

import { getPasskey, hasPasskeys } from '../src/client/core.ts';
import { onPress, onSubmit, say } from './forms.js';
import { buttonOf, fill, formOf, part, partsOf } from './parts.js';
import { connectSecondStep } from './second-step.js';
import { again, api, leaveForLogin, session } from './session.js';
import { t } from './words.js';

/** @import { Explain, MfaChallenge, Session } from './types.d.ts' */

/** Connects the dialog; a page without it leads to the login page instead. */
export function openSignInAgain() {
  if (!document.getElementById('sign-in-again')) return;
  const dialog = part('#sign-in-again', document, HTMLDialogElement);
  const [first, second] = [part('#again-first', dialog), part('#again-second', dialog)];
  const form = formOf('form', first);
  const region = part('[data-again-message]', first);
  /** @type {Promise<boolean> | null} */
  let asked = null;
  let isDone = false;

  /** @param {boolean} isSecond */
  function show(isSecond) {
    first.hidden = isSecond;
    second.hidden = !isSecond;
  }

  /** @param {Session | MfaChallenge} answer */
  async function proceed(answer) {
    if (!('accessToken' in answer)) {
      show(true);
      return begin(answer.mfaPendingToken, answer.methods);
    }
    await session.begun();
    isDone = true;
    dialog.close();
  }
  const begin = connectSecondStep(second, {
    done: proceed,
    over: sentence => {
      show(false);
      say(region, 'danger', t('page_problem_start_again', { problem: sentence }));
      firstField()?.focus();
    },
  });
  const firstField = () => partsOf('input.input, button', first).find(each => each.checkVisibility());

  /** @type {Explain} */
  const withoutPassword = ({ code }) => {
    if (code !== 'password_not_set') return false;
    fill({ hasPassword: false }, dialog);
    firstField()?.focus();
    return true;
  };
  onSubmit(form, async ({ password }) => proceed(await api.reauthenticate({ password })), withoutPassword);
  for (const button of partsOf('button[data-passkey]', first)) {
    if (!hasPasskeys()) continue;
    button.hidden = false;
    onPress(button, region, async () => {
      const { id, options } = await api.startPasskeyLogin();
      proceed(await api.reauthenticate({ id, credential: await getPasskey(options) }));
    });
  }
  onPress(buttonOf('[data-sign-in-anew]', first), region, async () => {
    await api.logout();
    return leaveForLogin('sign_in_again');
  });
  for (const button of partsOf('[data-cancel]', dialog))
    button.addEventListener('click', () => dialog.close());

  again.ask = () => {
    asked ??= new Promise(resolve => {
      isDone = false;
      for (const place of partsOf('.notice', first)) say(place);
      show(false);
      dialog.onclose = () => {
        form.reset();
        asked = null;
        resolve(isDone);
      };
      dialog.showModal();
      firstField()?.focus();
    });
    return asked;
  };
}
