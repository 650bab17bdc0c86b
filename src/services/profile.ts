import { z } from 'zod';
import { GatehouseError } from '../errors.ts';
import { UpdateProfileInput } from '../inputs/profile.ts';
import type { Dependencies } from './dependencies.ts';
import { toUserPublic, UserPublic } from './views.ts';

export type Profile = ReturnType<typeof createProfile>;

/** What users see and change of themselves. */
export function createProfile({ clock, repositories, events, define }: Dependencies) {
  const { users } = repositories;

  const me = define(
    {
      name: 'me',
      access: 'session',
      input: z.strictObject({}),
      answers: UserPublic,
      audited: false,
      errors: [],
    },
    async (_input, { session }): Promise<UserPublic> => toUserPublic(session.user),
  );

  const updateProfile = define(
    { name: 'updateProfile', access: 'session', input: UpdateProfileInput, answers: UserPublic, errors: [] },
    async ({ full_name: fullName }, { session }): Promise<UserPublic> => {
      if (fullName === undefined) return toUserPublic(session.user);
      await users.change(session.user.id, { set: { fullName, updatedAt: clock.now() } });
      const user = await users.find(session.user.id);
      if (!user) throw new GatehouseError('unauthenticated', { detail: 'The session token is not valid.' });
      const view = toUserPublic(user);
      events.emit('user_updated', { user: view, by: 'self' });
      return view;
    },
  );

  return { me, updateProfile };
}
