import { type Backend, fromNow } from '../../storage/backend.ts';
import { openTable, type Run } from '../../storage/repositories/table.ts';
import { type NotMeLink, notMeLinks } from './link-table.ts';

export function createNotMeLinkRows(backend: Backend, run: Run) {
  const table = openTable(backend, notMeLinks, run);
  const createdNow = { createdAt: fromNow(0) } as unknown as Pick<NotMeLink, 'createdAt'>;

  return {
    /** Stores a link. Its time is that of the database. */
    async add(link: Pick<NotMeLink, 'id' | 'userId' | 'snapshot' | 'expiresAt'>): Promise<void> {
      await table.insert({ ...link, ...createdNow, state: 'open', failures: 0 });
    },

    find: (id: string) => table.find({ id }),

    /** Marks a link, as it was read, as used. Of several concurrent calls, one returns true. */
    finish: ({ id, state }: NotMeLink) => table.update({ id, state }, { set: { state: 'done' } }),

    listByUser: (userId: string): Promise<NotMeLink[]> => table.findAll({ userId }),
  };
}
