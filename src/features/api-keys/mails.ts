import { z } from 'zod';
import { disownableNotice, notice } from '../../mail/define.ts';

const name = z.string().describe('what the owner calls the key');

export const mails = {
  apiKeyCreated: disownableNotice('an API key was made', {
    variables: { name },
    sample: { name: 'Nightly report' },
    values: ({ name }: { name: string }) => ({ name }),
  }),
  apiKeyEnds: notice('a week before the end of an API key', {
    variables: { name, ends_on: z.string().describe('when it ends: `2026-11-29`') },
    sample: { name: 'Nightly report', endsAt: new Date('2026-02-07T12:00:00Z') },
    values: ({ name, endsAt }: { name: string; endsAt: Date }) => ({
      ...{ name, ends_on: endsAt.toISOString().slice(0, 10) },
    }),
  }),
};
