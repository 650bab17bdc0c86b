import type { ChangePasswordInput, ForgotPasswordInput, ResetPasswordInput } from '../inputs/password.ts';
import type { PasswordReset, PasswordService } from '../services/password.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addPassword(builder: Builder, { Message }: SharedTypes, password: PasswordService): void {
  const Input = builder.inputRef<InputOf<typeof ChangePasswordInput>>('ChangePasswordInput').implement({
    fields: t => ({
      currentPassword: t.string({ required: true }),
      newPassword: t.string({ required: true, description: '8 to 128 characters.' }),
    }),
  });
  builder.mutationField('changePassword', t =>
    t.field({
      type: Message,
      nullable: true,
      description: 'Sets another password and ends every session, this one included.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Input, required: true }) },
      resolve: (_, { input }, context) => change(password.changePassword, context, input),
    }),
  );
}

export function addPasswordReset(builder: Builder, { Message }: SharedTypes, reset: PasswordReset): void {
  const Forgot = builder.inputRef<InputOf<typeof ForgotPasswordInput>>('ForgotPasswordInput').implement({
    fields: t => ({ email: t.string({ required: true }) }),
  });
  const Reset = builder.inputRef<InputOf<typeof ResetPasswordInput>>('ResetPasswordInput').implement({
    fields: t => ({
      token: t.string({ required: true, description: 'From the link in the mail.' }),
      newPassword: t.string({ required: true, description: '8 to 128 characters.' }),
    }),
  });
  builder.mutationFields(t => ({
    forgotPassword: t.field({
      type: Message,
      nullable: true,
      description: 'Mails a link to set a new password; the answer is the same for every address.',
      args: { input: t.arg({ type: Forgot, required: true }) },
      resolve: (_, { input }, context) => change(reset.forgotPassword, context, input),
    }),
    resetPassword: t.field({
      type: Message,
      nullable: true,
      description: 'Sets the password with the link of a reset mail, and ends every session.',
      args: { input: t.arg({ type: Reset, required: true }) },
      resolve: (_, { input }, context) => change(reset.resetPassword, context, input),
    }),
  }));
}
