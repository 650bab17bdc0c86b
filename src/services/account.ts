import { deleteAccountInput } from '../contract/inputs/account.ts';
import { MessageView } from '../contract/views/message.ts';
import { notRevokedSince } from '../domain/authentication.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { sessionEndedError } from '../domain/reauthentication.ts';

/** Account deletion by its owner. */
export function createAccount({ config, reauthentication, removal, hooks, define }: Dependencies) {
  const deleteAccount = define(
    {
      name: 'deleteAccount',
      at: 'DELETE /account',
      summary: 'Deletes the account that is signed in.',
      description:
        'Everything that belongs to the account is deleted, and every token is refused. It cannot be undone.',
      access: { kind: 'session', isSensitive: config.recentSignInForAccount },
      input: deleteAccountInput(reauthentication),
      output: MessageView,
      limit: 'delete_account',
      errors: [
        ...reauthentication.errors,
        ...(['last_superuser', 'user_in_use'] as const),
        ...hooks.codesOf('beforeDelete'),
      ],
    },
    async ({ current_password }, { session, caller, trail, t }): Promise<MessageView> => {
      const { user } = session;
      await reauthentication.confirm(session, current_password, caller, trail);
      if (!(await removal.remove(user, trail, notRevokedSince(user)))) throw sessionEndedError();
      return { message: t('notice_account_deleted') };
    },
  );

  return { deleteAccount };
}
