import { z } from 'zod';
import { dayOf, disownableNotice } from '../../mail/define.ts';

const name = z.string().describe('what the owner calls the key');

export const mails = {
  apiKeyCreated: disownableNotice('an API key was made', {
    variables: { name },
    sample: { name: 'Nightly report' },
    values: ({ name }: { name: string }) => ({ name }),
  }),
  apiKeyEnds: disownableNotice('a week before the end of an API key', {
    variables: { name, ends_on: z.string().describe('the day on which it ends, in UTC: `29 November 2026`') },
    sample: { name: 'Nightly report', endsAt: new Date('2026-02-07T12:00:00Z') },
    values: ({ name, endsAt }: { name: string; endsAt: Date }, _pages, words) => ({
      ...{ name, ends_on: dayOf(endsAt, words) },
    }),
  }),
};
