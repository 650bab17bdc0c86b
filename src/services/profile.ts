import { z } from 'zod';
import { updateProfileInput } from '../contract/inputs/profile.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { changesOf, ownChangesOf } from '../domain/changes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { ownChange } from '../domain/own-data.ts';
import { GatehouseError } from '../errors.ts';
import { say } from '../words/said.ts';

/** The user's own profile. */
export function createProfile({ config, clock, repositories, events, views, define }: Dependencies) {
  const { users } = repositories;
  const { toUserPublic } = views;

  const me = define(
    {
      name: 'me',
      at: 'GET /me',
      summary: 'The account that is signed in.',
      description: 'It is read from the database at each request, and never from the token.',
      access: { kind: 'person', scope: 'profile', isOpenBeforeEnrolment: true },
      input: z.strictObject({}),
      output: views.UserPublic,
      audited: false,
      errors: [],
    },
    async (_input, { person }): Promise<UserPublic> => toUserPublic(person.user),
  );

  const updateProfile = define(
    {
      name: 'updateProfile',
      at: 'PATCH /me',
      summary: 'Changes the given fields of the account that is signed in.',
      description:
        'A field that is left out stays as it is, and null clears one that can be empty. Neither the address nor the password is changed by it.',
      access: { kind: 'session' },
      input: updateProfileInput(config),
      output: views.UserPublic,
      errors: [],
    },
    async ({ full_name: fullName, locale, fields }, { session, trail }): Promise<UserPublic> => {
      const given = ownChange({ fields });
      const own = { ...(fullName !== undefined && { fullName }), ...(locale !== undefined && { locale }) };
      if (Object.keys(own).length === 0 && !given) return toUserPublic(session.user);
      trail.changes = [...changesOf(session.user, own), ...ownChangesOf(session.user, { fields })];
      const set = { ...own, updatedAt: clock.now() };
      const user = await users.change(session.user.id, { set, ...given });
      if (!user) throw new GatehouseError('unauthenticated', { detail: say('error_session_invalid') });
      const view = toUserPublic(user);
      await events.emit('user_updated', { user: view, by: 'self' });
      return view;
    },
  );

  return { me, updateProfile };
}
