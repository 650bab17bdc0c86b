import type { Dependencies } from '../../domain/dependencies.ts';
import { readPage } from '../../domain/pages.ts';
import { ActivityInput } from './inputs.ts';
import { ActivityPage, toActivityView } from './views.ts';

/** The acts on an account, for its owner (CONTRACT §12.3). */
export function createActivityService({ repositories, define }: Dependencies) {
  const list = define(
    {
      name: 'activity',
      at: 'GET /activity',
      summary: 'The acts of the owner of the account, newest first.',
      description: 'Attempts of others to sign in as the owner are among it.',
      access: { kind: 'session' },
      audited: false,
      input: ActivityInput,
      output: ActivityPage,
      errors: [],
    },
    (asked, { session: { user } }): Promise<ActivityPage> => {
      const own = { subject: user.id, by: 'self' } as const;
      return readPage(asked, page => repositories.audit.list(own, page), toActivityView);
    },
  );

  return { list };
}
