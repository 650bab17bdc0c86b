import type { ChangeEmailInput, ConfirmEmailChangeInput } from '../inputs/email-change.ts';
import type { EmailChange } from '../services/email-change.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addEmailChange(
  builder: Builder,
  { User, Message }: SharedTypes,
  emailChange: EmailChange,
): void {
  const Change = builder.inputRef<InputOf<typeof ChangeEmailInput>>('ChangeEmailInput').implement({
    fields: t => ({
      currentPassword: t.string({ required: true }),
      newEmail: t.string({ required: true }),
    }),
  });
  const Confirm = builder
    .inputRef<InputOf<typeof ConfirmEmailChangeInput>>('ConfirmEmailChangeInput')
    .implement({
      fields: t => ({ token: t.string({ required: true, description: 'From the link in the mail.' }) }),
    });
  builder.mutationFields(t => ({
    changeEmail: t.field({
      type: Message,
      nullable: true,
      description: 'Mails a link to the new address; the change happens when it is used.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Change, required: true }) },
      resolve: (_, { input }, context) => change(emailChange.changeEmail, context, input),
    }),
    confirmEmailChange: t.field({
      type: User,
      nullable: true,
      description: 'Moves the account to the address that the link went to, and ends every session.',
      args: { input: t.arg({ type: Confirm, required: true }) },
      resolve: (_, { input }, context) => change(emailChange.confirmEmailChange, context, input),
    }),
  }));
}
