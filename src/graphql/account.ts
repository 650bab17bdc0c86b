import type { DeleteAccountInput } from '../inputs/account.ts';
import type { Account } from '../services/account.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addAccount(builder: Builder, { Message }: SharedTypes, account: Account): void {
  const Input = builder.inputRef<InputOf<typeof DeleteAccountInput>>('DeleteAccountInput').implement({
    fields: t => ({ currentPassword: t.string({ required: true }) }),
  });
  builder.mutationField('deleteAccount', t =>
    t.field({
      type: Message,
      nullable: true,
      description: 'Deletes the account that is signed in.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Input, required: true }) },
      resolve: (_, { input }, context) => change(account.deleteAccount, context, input),
    }),
  );
}
