import { LogoutInput } from '../contract/inputs/session.ts';
import { MessageView } from '../contract/views/message.ts';
import type { Dependencies } from '../domain/dependencies.ts';

/** Logout. */
export function createSession({ clock, repositories, sessions, events, views, define }: Dependencies) {
  const { sessionList } = sessions;
  const { users, blacklist } = repositories;

  const logout = define(
    {
      name: 'logout',
      at: 'POST /logout',
      summary: 'Ends the session, or every session of the user.',
      description:
        'The token is refused from then on by every process. With `everywhere`, so is every token that was issued to the user before.',
      access: { kind: 'session', isOpenBeforeEnrolment: true },
      input: LogoutInput,
      output: MessageView,
      errors: [],
    },
    async ({ everywhere }, { session: { user, claims } }): Promise<MessageView> => {
      const changed = everywhere ? await users.change(user.id, { cutOffAt: clock.now() }) : null;
      if (!everywhere) {
        await blacklist.add({ jti: claims.jti, exp: new Date(Math.ceil(claims.exp * 1000)) });
        await sessionList?.forget(claims.jti);
      }
      await events.emit('user_logged_out', { user: views.toUserPublic(changed ?? user) });
      return { message: everywhere ? 'Signed out everywhere.' : 'Signed out.' };
    },
  );

  return { logout };
}
