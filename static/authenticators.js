// Authenticator apps, passkeys and recovery codes on the account page.

import { deviceName, freeName, isHandheld } from './device-name.js';
import { distrustedBadge } from './distrusted.js';
import { element, onPress, onSubmit, say } from './forms.js';
import { buttonOf, day, fill, formOf, icon, part, partsOf } from './parts.js';
import { showRecoveryCodes } from './recovery-codes.js';
import { deviceWords } from './sentences.js';
import { api } from './session.js';
import { listed, t } from './words.js';

/** @import { AccountPage, Authenticator, AuthenticatorAdded } from './types.d.ts' */

/** @type {Authenticator[]} */
let items = [];

/**
 * Connects the forms of what is switched on, once; a host's template may be older and have none.
 * @param {AccountPage} account
 */
export async function openAuthenticators(account) {
  if (!hasList()) return;
  openItem('#authenticator-rename', async ({ id }, { name = '' }) => {
    const renamed = await api.renameAuthenticator({ id, name });
    await account.refresh();
    return t('page_it_is_now_called', { name: renamed.name });
  });
  openItem('#authenticator-remove', async ({ id, name }) => {
    await api.removeAuthenticator({ id });
    await account.refresh();
    return t('page_was_removed', { name });
  });
  onPress(
    buttonOf('[data-replace-codes]'),
    part('[data-message]', part('[data-replace-codes]').closest('.panel-body') ?? document),
    async () => {
      const { recoveryCodes } = await api.replaceRecoveryCodes();
      await showRecoveryCodes(recoveryCodes);
      await account.refresh();
    },
  );
  /** @param {AuthenticatorAdded} added */
  const finish = async ({ recoveryCodes }) => {
    // Show them before anything can fail: they are shown only once.
    if (recoveryCodes) await showRecoveryCodes(recoveryCodes);
    await account.refresh();
  };
  if (document.getElementById('totp-start')) {
    const { openAppSetup } = await import('./app-setup.js');
    openAppSetup(account, finish);
    beginWithPanel('totp', formOf('#totp-start'));
  }
  if (document.getElementById('passkey-add')) {
    const { openPasskeySetup } = await import('./passkey-setup.js');
    openPasskeySetup(account, finish);
    beginWithPanel('passkey', formOf('#passkey-add'));
  }
}

/**
 * Begins a set-up with the press that opens its panel, while the account has nothing of this kind.
 * @param {Authenticator['kind']} kind
 * @param {HTMLFormElement} form
 */
function beginWithPanel(kind, form) {
  const panel = form.closest('details');
  panel?.querySelector('summary')?.addEventListener('click', () => {
    if (!panel.open && !form.hidden && !items.some(item => item.kind === kind)) form.requestSubmit();
  });
}

/** Proposes a name for what is set up next: an app is on the device that people carry with them. */
function proposeNames() {
  const taken = items.map(({ name }) => name);
  // A name has no characters of direction.
  const device = deviceWords(deviceName()).replace(/[\u2068\u2069]/g, '');
  /** @type {[HTMLInputElement[], string][]} */
  const proposals = [
    [partsOf('input[id="passkey-name"]'), device],
    [partsOf('input[id="totp-name"]'), isHandheld() && device ? device : t('page_authenticator_app')],
  ];
  for (const [fields, name] of proposals)
    for (const field of fields) field.defaultValue = name && freeName(name, taken);
}

const hasList = () => document.querySelector('[data-authenticators]') !== null;

/**
 * Shows the authenticators of the account. Returns how many there are, the names of those that a report has made distrusted,
 * whether the phone number is still to be confirmed, and whether the account has a password.
 */
export async function showAuthenticators() {
  if (!hasList()) return { count: 0, distrusted: [], needsConfirmation: false, hasPassword: true };
  const answer = await api.authenticators();
  items = answer.items;
  const left = answer.recoveryCodesLeft;
  for (const list of partsOf('[data-authenticators]')) {
    const own = items.filter(({ kind }) => kind === list.dataset.authenticators);
    list.replaceChildren(...own.map(line));
    list.hidden = own.length === 0;
  }
  proposeNames();
  /** @param {string} of */
  const names = of => {
    const found = items.filter(({ kind }) => kind === of).map(({ name }) => name);
    return found.length > 0 ? listed(found) : null;
  };
  fill({
    ...{ appNames: names('totp'), passkeyNames: names('passkey') },
    ...{ hasApp: names('totp') !== null, hasPasskey: names('passkey') !== null },
    ...{ hasAuthenticators: items.length > 0, recoveryCodesLeft: left, hasFewCodes: left <= 3 },
  });
  return {
    count: items.length,
    distrusted: items.filter(item => item.isDistrusted).map(({ name }) => name),
    needsConfirmation: answer.phoneNeedsConfirmation === true,
    hasPassword: answer.hasPassword !== false,
  };
}

/** @param {Authenticator} item */
function line({ id, kind, name, createdAt, lastUsedAt, isDistrusted }) {
  const added = day.format(new Date(createdAt));
  /** @param {string} label @param {string} named @param {string} dialog */
  const button = (label, named, dialog) =>
    element(
      'button',
      {
        type: 'button',
        class: 'button button-small',
        'aria-label': named,
        'aria-haspopup': 'dialog',
        click: () => openDialog(dialog, id),
      },
      label,
    );
  return element(
    'li',
    { class: 'item' },
    icon(kind === 'totp' ? 'app' : 'passkey'),
    element(
      'div',
      { class: 'item-text' },
      element('strong', {}, name),
      isDistrusted ? distrustedBadge() : null,
      element(
        'span',
        { class: 'small soft' },
        lastUsedAt
          ? t('page_added_used', { added, used: day.format(new Date(lastUsedAt)) })
          : t('page_added_unused', { added }),
      ),
    ),
    element(
      'div',
      { class: 'row' },
      button(t('page_rename_it'), t('page_rename_name', { name }), '#authenticator-rename'),
      button(t('page_remove_short'), t('page_remove_name', { name }), '#authenticator-remove'),
    ),
  );
}

/** @type {(selector: string, id: string) => void} */
function openDialog(selector, id) {
  const dialog = part(selector, document, HTMLDialogElement);
  const item = items.find(each => each.id === id);
  if (!item) return;
  dialog.dataset.id = id;
  fill({ authenticator: item.name, isApp: item.kind === 'totp' }, dialog);
  for (const field of partsOf('input[name="name"]', dialog)) field.defaultValue = item.name;
  dialog.showModal();
}

/**
 * Connects a dialog about one authenticator; `work` returns what to say afterwards.
 * @param {string} selector
 * @param {(item: Authenticator, values: Record<string, string>) => Promise<string>} work
 */
function openItem(selector, work) {
  const dialog = part(selector, document, HTMLDialogElement);
  const form = formOf('form', dialog);
  for (const button of partsOf('[data-cancel]', dialog))
    button.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    form.reset();
    say(part('[data-message]', form));
  });
  onSubmit(form, async values => {
    const item = items.find(({ id }) => id === dialog.dataset.id);
    if (!item) return dialog.close();
    const sentence = await work(item, values);
    dialog.close();
    say(part('[data-notice]'), 'success', sentence);
    // The button that opened the dialog was drawn again.
    panelOf(item)?.focus();
  });
}

/** @param {Authenticator} item */
const panelOf = ({ kind }) =>
  part(`[data-authenticators="${kind}"]`).closest('details')?.querySelector('summary');
