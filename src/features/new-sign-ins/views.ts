import { z } from 'zod';
import { MessageView } from '../../contract/views/message.ts';

export const NotMeView = MessageView.extend({
  password_needed: z
    .boolean()
    .describe('True when a reset by email opens the account again, false when only administration does.'),
}).meta({ id: 'NotMeReport', description: 'The outcome of a report "this was not me".' });
export type NotMeView = z.infer<typeof NotMeView>;
