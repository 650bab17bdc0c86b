import type {
  ConfirmLoginMfaInput,
  ConfirmPhoneSetupInput,
  DisablePhoneInput,
  startPhoneSetupInput,
} from '../inputs/phone.ts';
import type { Phone } from '../services/phone.ts';
import type { PhoneSetupView } from '../services/views.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

type StartInput = InputOf<ReturnType<typeof startPhoneSetupInput>>;

export function addPhone(builder: Builder, { User, Message, Session }: SharedTypes, phone: Phone): void {
  const PhoneSetup = builder.objectRef<PhoneSetupView>('PhoneSetup').implement({
    description: 'A phone set-up whose code was sent.',
    fields: t => ({
      status: t.exposeString('status', { description: 'Always `code_sent`.' }),
      pendingToken: t.exposeString('pending_token'),
      expiresIn: t.exposeInt('expires_in', { description: 'Lifetime of the pending token in seconds.' }),
    }),
  });
  const Start = builder.inputRef<StartInput>('StartPhoneSetupInput').implement({
    fields: t => ({
      phoneNumber: t.string({ required: true, description: 'E.164: `+4915112345678`.' }),
      currentPassword: t.string({ required: true }),
    }),
  });
  const Confirm = builder
    .inputRef<InputOf<typeof ConfirmPhoneSetupInput>>('ConfirmPhoneSetupInput')
    .implement({
      fields: t => ({ pendingToken: t.string({ required: true }), code: t.string({ required: true }) }),
    });
  const Disable = builder.inputRef<InputOf<typeof DisablePhoneInput>>('DisablePhoneInput').implement({
    fields: t => ({ currentPassword: t.string({ required: true }) }),
  });
  const Login = builder.inputRef<InputOf<typeof ConfirmLoginMfaInput>>('ConfirmLoginMfaInput').implement({
    fields: t => ({ mfaPendingToken: t.string({ required: true }), code: t.string({ required: true }) }),
  });

  builder.mutationFields(t => ({
    confirmLoginMfa: t.field({
      type: Session,
      nullable: true,
      description: 'The second step of a login: the code that was sent to the phone.',
      args: { input: t.arg({ type: Login, required: true }) },
      resolve: (_, { input }, context) => change(phone.confirmLoginMfa, context, input),
    }),
    startPhoneSetup: t.field({
      type: PhoneSetup,
      nullable: true,
      description: 'Sends a code to a phone that is to be the second factor.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Start, required: true }) },
      resolve: (_, { input }, context) => change(phone.startPhoneSetup, context, input),
    }),
    confirmPhoneSetup: t.field({
      type: User,
      nullable: true,
      description: 'Sets the phone up with the code that was sent to it, and turns the second step on.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Confirm, required: true }) },
      resolve: (_, { input }, context) => change(phone.confirmPhoneSetup, context, input),
    }),
    disablePhone: t.field({
      type: Message,
      nullable: true,
      description: 'Removes the phone and turns the second step off.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Disable, required: true }) },
      resolve: (_, { input }, context) => change(phone.disablePhone, context, input),
    }),
  }));
}
