import type { LoginInput } from '../inputs/login.ts';
import type { Login } from '../services/login.ts';
import type { MfaChallengeView } from '../services/views.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addLogin(builder: Builder, { Session }: SharedTypes, login: Login): void {
  const MfaChallenge = builder.objectRef<MfaChallengeView>('MfaChallenge').implement({
    description: 'The password was right and the second step is due: a code was sent to the phone.',
    fields: t => ({
      status: t.exposeString('status', { description: 'Always `mfa_required`.' }),
      mfaPendingToken: t.exposeString('mfa_pending_token'),
      expiresIn: t.exposeInt('expires_in', { description: 'Lifetime of the pending token in seconds.' }),
      delivery: t.exposeString('delivery', { description: 'How the code was sent: `sms`.' }),
    }),
  });
  const LoginResult = builder.unionType('LoginResult', {
    types: [Session, MfaChallenge],
    resolveType: view => ('access_token' in view ? Session : MfaChallenge),
  });

  const Input = builder.inputRef<InputOf<typeof LoginInput>>('LoginInput').implement({
    fields: t => ({
      email: t.string({ required: true }),
      password: t.string({ required: true }),
    }),
  });

  builder.mutationField('login', t =>
    t.field({
      type: LoginResult,
      nullable: true,
      description: 'Signs in with address and password.',
      args: { input: t.arg({ type: Input, required: true }) },
      resolve: (_, { input }, context) => change(login.login, context, input),
    }),
  );
}
