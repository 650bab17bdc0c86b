import type { LogoutInput } from '../inputs/session.ts';
import type { SessionService } from '../services/session.ts';
import type { Builder, InputOf } from './builder.ts';
import { change } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addSession(builder: Builder, { Message }: SharedTypes, session: SessionService): void {
  const Input = builder.inputRef<InputOf<typeof LogoutInput>>('LogoutInput').implement({
    fields: t => ({
      everywhere: t.boolean({ description: 'End every session of this user, not this one alone.' }),
    }),
  });

  builder.mutationField('logout', t =>
    t.field({
      type: Message,
      nullable: true,
      description: 'Ends the session.',
      authScopes: { session: true },
      args: { input: t.arg({ type: Input }) },
      resolve: (_, { input }, context) => change(session.logout, context, input),
    }),
  );
}
