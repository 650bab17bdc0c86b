import type { LoginInput } from '../inputs/login.ts';
import type { Login } from '../services/login.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addLogin(builder: Builder, { Session, MfaChallenge }: SharedTypes, login: Login): void {
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
