import { z } from 'zod';
import { SessionIdInput } from '../contract/inputs/sessions.ts';
import { MessageView } from '../contract/views/message.ts';
import { EndedView, SessionListView } from '../contract/views/sessions.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { SessionList } from '../domain/session-list.ts';
import { GatehouseError } from '../errors.ts';

/** The sessions of an account, for its owner. */
export function createSessionsService({ config, sessions, define }: Dependencies, sessionList: SessionList) {
  const needsRecent = config.recentSignInForSessions;

  const list = define(
    {
      name: 'sessions',
      at: 'GET /sessions',
      summary: 'The sessions of the account, the one used last first.',
      description:
        'Each has the browser and the IP address of its sign-in. The session of this request is marked.',
      access: { kind: 'session' },
      input: z.strictObject({}),
      output: SessionListView,
      audited: false,
      errors: [],
    },
    async (_input, { session: { user, claims } }): Promise<SessionListView> => ({
      items: await sessionList.list(user, claims.jti),
    }),
  );

  const end = define(
    {
      name: 'endSession',
      at: 'DELETE /sessions/{id}',
      summary: 'Ends one session of the account.',
      description: 'Its token is refused from then on by every process.',
      access: { kind: 'session' },
      input: SessionIdInput,
      output: MessageView,
      errors: ['not_found', ...(needsRecent ? (['recent_sign_in_required'] as const) : [])],
    },
    async ({ id }, { session, t }): Promise<MessageView> => {
      const { user, claims } = session;
      if (needsRecent && id !== claims.jti) await sessions.rules.assertSensitive(session);
      if (!(await sessionList.endOne(user, id))) throw new GatehouseError('not_found');
      return { message: t('notice_session_ended') };
    },
  );

  const endOthers = define(
    {
      name: 'endOtherSessions',
      at: 'DELETE /sessions',
      summary: 'Ends every listed session of the account except the present one.',
      description: 'Their tokens are refused from then on by every process.',
      access: { kind: 'session', isSensitive: needsRecent },
      input: z.strictObject({}),
      output: EndedView,
      errors: [],
    },
    async (_input, { session: { user, claims }, t }): Promise<EndedView> => ({
      message: t('notice_other_sessions_ended'),
      ended: await sessionList.endOthers(user, claims.jti),
    }),
  );

  return { list, end, endOthers };
}
