import { DeleteAccountInput } from '../inputs/account.ts';
import type { Dependencies } from './dependencies.ts';
import { sessionEnded } from './reauthentication.ts';
import { MessageView } from './views.ts';

export type Account = ReturnType<typeof createAccount>;

/** Leaving. */
export function createAccount({ reauthentication, removal, define }: Dependencies) {
  const deleteAccount = define(
    {
      name: 'deleteAccount',
      access: 'session',
      input: DeleteAccountInput,
      answers: MessageView,
      limit: 'delete_account',
      errors: ['password_not_set', 'wrong_password', 'account_locked', 'last_superuser'],
    },
    async ({ current_password }, { session: { user }, caller }): Promise<MessageView> => {
      await reauthentication.confirm(user, current_password, caller);
      const only = { tokensInvalidatedAfter: user.tokensInvalidatedAfter, isActive: true };
      if (!(await removal.remove(user, 'self', only))) throw sessionEnded();
      return { message: 'The account was deleted.' };
    },
  );

  return { deleteAccount };
}
