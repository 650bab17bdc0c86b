import type { RegisterInput, ResendVerificationInput, VerifyInput } from '../inputs/registration.ts';
import type { Registration } from '../services/registration.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addRegistration(
  builder: Builder,
  { User, PendingRegistration, Message }: SharedTypes,
  registration: Registration,
): void {
  const RegisterResult = builder.unionType('RegisterResult', {
    types: [PendingRegistration, User],
    resolveType: view => ('status' in view ? PendingRegistration : User),
  });

  const Register = builder.inputRef<InputOf<typeof RegisterInput>>('RegisterInput').implement({
    fields: t => ({
      email: t.string({ required: true }),
      password: t.string({ required: true, description: '8 to 128 characters.' }),
      fullName: t.string({ description: 'At most 200 characters.' }),
    }),
  });
  const Verify = builder.inputRef<InputOf<typeof VerifyInput>>('VerifyInput').implement({
    fields: t => ({ token: t.string({ required: true, description: 'From the link in the mail.' }) }),
  });
  const Resend = builder
    .inputRef<InputOf<typeof ResendVerificationInput>>('ResendVerificationInput')
    .implement({
      fields: t => ({ email: t.string({ required: true }) }),
    });

  builder.mutationFields(t => ({
    register: t.field({
      type: RegisterResult,
      nullable: true,
      description: 'Creates an account, or a pending registration where the address must be verified first.',
      args: { input: t.arg({ type: Register, required: true }) },
      resolve: (_, { input }, context) => change(registration.register, context, input),
    }),
    verify: t.field({
      type: User,
      nullable: true,
      description: 'Uses the link of a verification mail.',
      args: { input: t.arg({ type: Verify, required: true }) },
      resolve: (_, { input }, context) => change(registration.verify, context, input),
    }),
    resendVerification: t.field({
      type: Message,
      nullable: true,
      description:
        'Mails a new link if this address waits for one; the answer is the same for every address.',
      args: { input: t.arg({ type: Resend, required: true }) },
      resolve: (_, { input }, context) => change(registration.resendVerification, context, input),
    }),
  }));
}
