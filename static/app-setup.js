// Setting up an authenticator app: the QR code, the key as text, and the first code.

import { onPress, onSubmit, say } from './forms.js';
import { buttonOf, fieldOf, fill, formOf, part } from './parts.js';
import { rememberUsed } from './second-step.js';
import { api, session } from './session.js';
import { setupOf } from './setup-fields.js';
import { t } from './words.js';

/** @import { AccountPage, AuthenticatorAdded } from './types.d.ts' */

const svg = 'http://www.w3.org/2000/svg';

/**
 * Returns the QR code of the API as an image of this document. Only its measures and its one path are taken over, so no
 * markup is parsed (Trusted Types).
 * @param {string} source
 */
function drawn(source) {
  const [, box = ''] = /viewBox="([\d .]+)"/.exec(source) ?? [];
  const [, dark = ''] = /<path[^>]* d="([\dMhvz., -]+)"/i.exec(source) ?? [];
  const image = document.createElementNS(svg, 'svg');
  const path = document.createElementNS(svg, 'path');
  image.setAttribute('viewBox', box);
  image.setAttribute('role', 'img');
  image.setAttribute('aria-label', t('page_qr_code_for_the_authenticator'));
  path.setAttribute('d', dark);
  image.append(path);
  return image;
}

/**
 * Connects the forms. `finish` gets the answer when the app was added.
 * @param {AccountPage} account
 * @param {(added: AuthenticatorAdded) => Promise<void>} finish
 */
export function openAppSetup({ done, explain }, finish) {
  const [start, confirm] = [formOf('#totp-start'), formOf('#totp-confirm')];
  let id = '';

  /** @param {boolean} isWaiting */
  function ask(isWaiting) {
    start.hidden = isWaiting;
    confirm.hidden = !isWaiting;
    if (isWaiting) return;
    // The secret does not stay in the page.
    id = '';
    confirm.reset();
    part('[data-qr]', confirm).replaceChildren();
    fill({ totpSecret: '' }, confirm);
    part('[data-otpauth]', confirm, HTMLAnchorElement).removeAttribute('href');
  }

  onSubmit(
    start,
    async () => {
      const setup = await api.startTotpSetup();
      id = setup.id;
      part('[data-qr]', confirm).replaceChildren(drawn(setup.qrSvg));
      // In groups of four, as apps show it and accept it.
      fill({ totpSecret: setup.secret.replace(/(.{4})(?=.)/g, '$1 ') }, confirm);
      part('[data-otpauth]', confirm, HTMLAnchorElement).href = setup.otpauthUrl;
      ask(true);
      part('[data-qr]', confirm).focus();
    },
    explain,
  );
  onSubmit(
    confirm,
    async ({ code = '' }) => {
      const plain = code.replace(/\s/g, '');
      const added = await api.confirmTotpSetup({ id, code: plain, ...setupOf(confirm) });
      rememberUsed(plain);
      if (added.session) await session.begun();
      ask(false);
      await finish(added);
      done('totp-confirm', t('page_your_authenticator_app_is_set'));
    },
    (problem, region) => {
      if (problem.code !== 'not_found') return explain(problem, region);
      ask(false);
      say(part('[data-message]', start), 'warning', t('page_that_took_too_long_start_again'));
      buttonOf('[type=submit]', start).focus();
      return true;
    },
  );
  const region = part('[data-message]', confirm);
  onPress(buttonOf('[data-start-over]', confirm), region, () => {
    ask(false);
    buttonOf('[type=submit]', start).focus();
  });
  onPress(buttonOf('[data-copy]', confirm), region, async () => {
    const text = part('[data-fill="totp_secret"]', confirm).textContent;
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isCopied) say(region, 'success', t('page_copied'));
    else say(region, 'warning', t('page_your_browser_did_not_allow'));
    fieldOf(confirm, 'code').focus();
  });
}
