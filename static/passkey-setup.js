// Adding a passkey to the account.

import { createPasskey, hasPasskeys } from '../src/client/core.ts';
import { onSubmit } from './forms.js';
import { fill, formOf } from './parts.js';
import { api, session } from './session.js';
import { setupOf } from './setup-fields.js';
import { t } from './words.js';

/** @import { AccountPage, AuthenticatorAdded } from './types.d.ts' */

/**
 * Connects the form. `finish` gets the answer when the passkey was added.
 * @param {AccountPage} account
 * @param {(added: AuthenticatorAdded) => Promise<void>} finish
 */
export function openPasskeySetup({ done, explain }, finish) {
  fill({ canUsePasskeys: hasPasskeys() });
  const form = formOf('#passkey-add');
  onSubmit(
    form,
    async () => {
      const { id, options } = await api.startPasskeySetup();
      const credential = await createPasskey(options);
      const added = await api.confirmPasskeySetup({ id, credential, ...setupOf(form) });
      if (added.session) await session.begun();
      await finish(added);
      done('passkey-add', t('page_your_passkey_is_set_up'));
    },
    explain,
  );
}
