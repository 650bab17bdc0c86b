import { z } from 'zod';
import { count, id, time } from './fields.ts';
import { MessageView } from './message.ts';

/** A session as its owner sees it. */
export const SessionListItem = z
  .object({
    id: id.describe('Identifies the session.'),
    created_at: time.describe('When it began.'),
    last_seen_at: time.describe('When it was last used, to about a minute.'),
    expires_at: time.describe('When it ends by itself.'),
    ip: z.string().nullable().describe('The address that it began from.'),
    device: z.string().nullable().describe('The browser and system: "Firefox on Linux".'),
    method: z
      .string()
      .describe('How it began: `password`, `mfa`, `oauth`, `passkey`, or a word of the host application.'),
    is_current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .meta({ id: 'SessionListItem', description: 'A session of the account.' });
export type SessionListItem = z.infer<typeof SessionListItem>;

export const SessionListView = z
  .object({ items: z.array(SessionListItem).describe('The one used last comes first.') })
  .meta({ id: 'SessionList', description: 'The sessions of the account.' });
export type SessionListView = z.infer<typeof SessionListView>;

export const EndedView = MessageView.extend({ ended: count.describe('How many sessions were ended.') }).meta({
  id: 'SessionsEnded',
  description: 'Sessions that were ended.',
});
export type EndedView = z.infer<typeof EndedView>;
