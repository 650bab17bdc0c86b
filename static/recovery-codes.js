// Recovery codes: shown once, to be copied, downloaded or printed.
import { element, say } from './forms.js';
import { buttonOf, part } from './parts.js';
import { t } from './words.js';

/**
 * Shows new codes in their dialog, until its button is pressed: they are not shown again.
 * @param {string[]} codes
 */
export function showRecoveryCodes(codes) {
  const dialog = part('#recovery-codes', document, HTMLDialogElement);
  const region = part('[data-message]', dialog);
  const list = part('[data-codes-list]', dialog);
  const text = `${codes.join('\n')}\n`;
  list.replaceChildren(...codes.map(code => element('li', { class: 'code' }, code)));
  say(region);
  buttonOf('[data-copy]', dialog).onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(region, 'success', t('page_copied'));
    } catch {
      say(region, 'warning', t('page_your_browser_did_not_allow_it'));
    }
  };
  buttonOf('[data-download]', dialog).onclick = () => {
    const { title } = document;
    const address = URL.createObjectURL(
      new Blob([t('page_recovery_codes_2', { title, text })], { type: 'text/plain' }),
    );
    element('a', { href: address, download: 'recovery-codes.txt' }).click();
    URL.revokeObjectURL(address);
    say(region, 'success', t('page_downloaded_as_recovery_codes_txt'));
  };
  buttonOf('[data-print]', dialog).onclick = () => print();
  buttonOf('[data-stored]', dialog).onclick = () => dialog.close();
  dialog.oncancel = event => {
    event.preventDefault();
    buttonOf('[data-stored]', dialog).focus();
  };
  return new Promise(resolve => {
    dialog.onclose = () => {
      list.replaceChildren();
      resolve(null);
    };
    dialog.showModal();
  });
}
