import type { UpdateProfileInput } from '../inputs/profile.ts';
import type { Profile } from '../services/profile.ts';
import type { Builder, InputOf } from './builder.ts';
import { change, read } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addProfile(builder: Builder, { User }: SharedTypes, profile: Profile): void {
  const Input = builder.inputRef<InputOf<typeof UpdateProfileInput>>('UpdateProfileInput').implement({
    fields: t => ({ fullName: t.string({ description: 'At most 200 characters; null clears it.' }) }),
  });

  builder.queryField('me', t =>
    t.field({
      type: User,
      nullable: true,
      description: 'The account that is signed in.',
      authScopes: { session: true },
      resolve: (_, _args, context) => read(profile.me, context),
    }),
  );
  builder.mutationField('updateProfile', t =>
    t.field({
      type: User,
      nullable: true,
      description: 'Changes what is given.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Input, required: true }) },
      resolve: (_, { input }, context) => change(profile.updateProfile, context, input),
    }),
  );
}
