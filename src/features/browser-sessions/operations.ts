import { z } from 'zod';
import { MessageView } from '../../contract/views/message.ts';
import type { Dependencies } from '../../domain/dependencies.ts';

/** The session in a cookie, for pages that the host renders (CONTRACT §15.1). */
export function createBrowserSession({ sessions: { issuing }, define }: Dependencies) {
  const create = define(
    {
      name: 'createBrowserSession',
      at: 'POST /browser-session',
      status: 204,
      summary: 'Lets the pages that the application renders know the session.',
      description:
        'Sets a cookie that scripts cannot read and no operation of the API accepts. It ends with the session.',
      access: { kind: 'session' },
      input: z.strictObject({}),
      output: MessageView,
      errors: [],
    },
    async (_input, { caller, session: { claims }, t }): Promise<MessageView> => {
      if (caller.reply) caller.reply.browserToken = issuing.browserToken(claims);
      return { message: t('notice_browser_session_known') };
    },
  );

  const end = define(
    {
      name: 'endBrowserSession',
      at: 'DELETE /browser-session',
      status: 204,
      summary: 'Takes the cookie away by which the pages of the application know the session.',
      description: 'The session itself goes on; a browser without the cookie gets the same response.',
      access: { kind: 'anyone' },
      input: z.strictObject({}),
      output: MessageView,
      audited: false,
      errors: [],
    },
    async (_input, { caller, t }): Promise<MessageView> => {
      if (caller.reply) caller.reply.browserToken = null;
      return { message: t('notice_browser_session_forgotten') };
    },
  );

  return { create, end };
}
