import { LogoutInput } from '../contract/inputs/session.ts';
import { MessageView } from '../contract/views/message.ts';
import type { Dependencies } from '../domain/dependencies.ts';

/** Logout. */
export function createSession({
  config,
  clock,
  repositories,
  sessions,
  events,
  views,
  define,
}: Dependencies) {
  const { users } = repositories;
  const needsRecent = config.recentSignInForSessions;

  const logout = define(
    {
      name: 'logout',
      at: 'POST /logout',
      summary: 'Ends the session, or every session of the user.',
      description:
        'The token is refused from then on by every process. With `everywhere`, so is every token that was issued to the user before. The cookie of `createBrowserSession` goes with them.',
      access: { kind: 'session', isOpenBeforeEnrolment: true },
      input: LogoutInput,
      output: MessageView,
      errors: needsRecent ? ['recent_sign_in_required'] : [],
    },
    async ({ everywhere }, { caller, session, t }): Promise<MessageView> => {
      const { user, claims } = session;
      if (everywhere && needsRecent) await sessions.rules.assertSensitive(session);
      const changed = everywhere ? await users.change(user.id, { cutOffAt: clock.now() }) : null;
      if (!everywhere) await sessions.issuing.end(claims);
      delete caller.document?.keptSession;
      if (caller.reply) caller.reply.browserToken = null;
      await events.emit('user_logged_out', { user: views.toUserPublic(changed ?? user) });
      return { message: everywhere ? t('notice_signed_out_everywhere') : t('notice_signed_out') };
    },
  );

  return { logout };
}
