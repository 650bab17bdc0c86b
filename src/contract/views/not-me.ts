import { z } from 'zod';
import { MessageView } from './message.ts';

export const NotMeView = MessageView.extend({
  password_needed: z
    .boolean()
    .describe('Whether the former password can put back what was changed since, with the same link.'),
}).meta({ id: 'NotMeReport', description: 'What a link "this was not me" has done.' });
export type NotMeView = z.infer<typeof NotMeView>;
