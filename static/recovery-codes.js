// Recovery codes: shown once, to be copied, downloaded or printed.
import { element, say } from './forms.js';
import { buttonOf, part } from './parts.js';

/**
 * Shows new codes in their dialog, until its button is pressed: once it is closed, nobody sees them again.
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
      say(region, 'success', 'Copied.');
    } catch {
      say(region, 'warning', 'Your browser did not allow it. Select the codes and copy them yourself.');
    }
  };
  buttonOf('[data-download]', dialog).onclick = () => {
    const { title } = document;
    const address = URL.createObjectURL(
      new Blob([`${title}: recovery codes\n\n${text}`], { type: 'text/plain' }),
    );
    element('a', { href: address, download: 'recovery-codes.txt' }).click();
    URL.revokeObjectURL(address);
    say(region, 'success', 'Downloaded as recovery-codes.txt.');
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
