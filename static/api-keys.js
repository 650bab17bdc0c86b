// The API keys of the account: making one, which is shown once, and removing them.

import { apiKeys } from '../src/client/api-keys.ts';
import { distrustedBadge } from './distrusted.js';
import { element, onPress, onSubmit, say } from './forms.js';
import { buttonOf, day, fill, formOf, icon, part, partsOf } from './parts.js';
import { callsOf } from './session.js';
import { listed, t } from './words.js';

/** @import { ApiKey, ApiKeysOperations, Operations, Scope } from './types.d.ts' */
/** @import { Explain } from './types.d.ts' */

/** @type {Operations & ApiKeysOperations} */
const api = callsOf(undefined, { with: [apiKeys] });

/**
 * Connects the panel, once, and shows the keys. Returns the names of those that a report has made distrusted.
 * @param {() => Promise<void>} refresh
 * @param {Explain} explain
 */
export async function openApiKeys(refresh, explain) {
  const form = formOf('#api-key-create');
  if (!form.dataset.isOpen) connect(form, refresh, explain);
  const { items, scopes } = await api.apiKeys();
  const list = part('[data-api-keys]');
  list.replaceChildren(...items.map(key => line(key, refresh)));
  list.hidden = items.length === 0;
  fill({ apiKeyNames: items.length === 0 ? null : listed(items.map(({ name }) => name)) });
  const choice = part('[data-scopes]');
  if (choice.childElementCount === 0) choice.append(...scopes.map(check));
  return items.filter(key => key.isDistrusted).map(({ name }) => name);
}

/** @type {(form: HTMLFormElement, refresh: () => Promise<void>, explain: Explain) => void} */
function connect(form, refresh, explain) {
  form.dataset.isOpen = 'yes';
  const region = part('[data-message]', form);
  onSubmit(
    form,
    async ({ name = '', expiresInDays = '' }) => {
      const scopes = partsOf('input[name="scopes"]:checked', form).map(({ value }) => value);
      if (scopes.length === 0) return say(region, 'danger', t('page_api_key_choose'));
      const days = expiresInDays === '' ? {} : { expiresInDays: Number(expiresInDays) };
      const { key } = await api.createApiKey({ name, scopes, ...days });
      form.reset();
      fill({ apiKey: key });
      await refresh();
      part('[data-fill="api_key"]').focus();
    },
    explain,
  );
  const copied = part('[data-message]', part('#api-key-new'));
  onPress(buttonOf('[data-copy]', part('#api-key-new')), copied, async () => {
    const isCopied = await navigator.clipboard.writeText(part('[data-fill="api_key"]').textContent).then(
      () => true,
      () => false,
    );
    if (isCopied) say(copied, 'success', t('page_copied'));
    else say(copied, 'warning', t('page_your_browser_did_not_allow'));
  });
}

/** @param {Scope} scope */
const check = ({ name, description }) =>
  element(
    'label',
    { class: 'check' },
    element('input', { type: 'checkbox', name: 'scopes', value: name, autocomplete: 'off' }),
    element('span', {}, description, ' ', element('code', { class: 'small soft' }, name)),
  );

/** @param {ApiKey} key @param {() => Promise<void>} refresh */
function line({ id, name, hint, expiresAt, isExpired, lastUsedAt, isDistrusted }, refresh) {
  const region = element('div', { role: 'alert', class: 'notice' });
  const button = element(
    'button',
    { type: 'button', class: 'button button-small', 'aria-label': t('page_remove_name', { name }) },
    t('page_remove_short'),
  );
  onPress(button, region, async () => {
    const { message } = await api.removeApiKey({ id });
    await refresh();
    say(part('[data-notice]'), 'success', message);
    part('[data-api-keys]').closest('details')?.querySelector('summary')?.focus();
  });
  const state = expiresAt === null ? 'none' : isExpired ? 'ended' : 'other';
  const until = expiresAt === null ? '' : day.format(new Date(expiresAt));
  const used = lastUsedAt === null ? '' : day.format(new Date(lastUsedAt));
  return element(
    'li',
    { class: 'item' },
    icon('codes'),
    element(
      'div',
      { class: 'item-text' },
      element('strong', {}, name),
      isDistrusted ? distrustedBadge() : null,
      element('span', { class: 'small soft' }, t('page_api_key_state', { state, hint, day: until })),
      element(
        'span',
        { class: 'small soft' },
        t('page_api_key_used', { use: lastUsedAt === null ? 'none' : 'other', day: used }),
      ),
    ),
    button,
    region,
  );
}
