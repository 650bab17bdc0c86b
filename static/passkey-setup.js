// Adding a passkey to the account.
import { api, session } from './client.js';
import { onSubmit } from './forms.js';
import { fill, formOf } from './parts.js';
import { createPasskey, hasPasskeys } from './passkey.js';
import { setupOf } from './setup-fields.js';

/** @import { AccountPage, AuthenticatorAddedView } from './types.d.ts' */

/**
 * Connects the form. `finish` gets the answer when the passkey was added.
 * @param {AccountPage} account
 * @param {(added: AuthenticatorAddedView) => Promise<void>} finish
 */
export function openPasskeySetup({ done, explain }, finish) {
  fill({ can_use_passkeys: hasPasskeys() });
  const form = formOf('#passkey-add');
  onSubmit(
    form,
    async () => {
      const { id, options } = await api('POST', '/passkeys/start', {});
      const credential = await createPasskey(options);
      const added = await api('POST', '/passkeys/confirm', { id, credential, ...setupOf(form) });
      if (added.session) await session.replace(added.session.access_token);
      await finish(added);
      done('passkey-add', 'Your passkey is set up. You can sign in with it.');
    },
    explain,
  );
}
