import { LogoutInput } from '../inputs/session.ts';
import type { Dependencies } from './dependencies.ts';
import { MessageView, toUserPublic } from './views.ts';

export type SessionService = ReturnType<typeof createSession>;

/** How a session ends. */
export function createSession({ clock, repositories, events, define }: Dependencies) {
  const { users, blacklist } = repositories;

  const logout = define(
    { name: 'logout', access: 'session', input: LogoutInput, answers: MessageView, errors: [] },
    async ({ everywhere }, { session: { user, claims } }): Promise<MessageView> => {
      if (everywhere) await users.change(user.id, { cutOffAt: clock.now() });
      else await blacklist.add({ jti: claims.jti, exp: new Date(Math.ceil(claims.exp * 1000)) });
      const after = everywhere ? ((await users.find(user.id)) ?? user) : user;
      events.emit('user_logged_out', { user: toUserPublic(after) });
      return { message: everywhere ? 'Signed out everywhere.' : 'Signed out.' };
    },
  );

  return { logout };
}
