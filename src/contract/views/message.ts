import { z } from 'zod';

/** A sentence for people, where there is nothing else to return. */
export const MessageView = z
  .object({ message: z.string().meta({ examples: ['Signed out.'], description: 'For people.' }) })
  .meta({ id: 'Message', description: 'A sentence for people where there is nothing else to return.' });
export type MessageView = z.infer<typeof MessageView>;
