import type { BoundTable } from '../tables/bound.ts';
import type { Backend, Page, Selection } from './backend.ts';

interface Reads extends Pick<Backend, 'list' | 'count'> {
  /** Reads and counts in one statement; null where it would find too many for that. */
  listFew(
    bound: BoundTable,
    selection: Selection,
    page: Page,
    most: number,
  ): Promise<{ rows: object[]; total: number } | null>;
}

/** Returns how a page is read with the total: at once where few rows are found, else in two statements. */
export const listAndCount =
  ({ list, count, listFew }: Reads): Backend['listAndCount'] =>
  async (bound, selection, page, most) => {
    const few = await listFew(bound, selection, page, most);
    if (few) return few;
    const [rows, total] = await Promise.all([list(bound, selection, page), count(bound, selection, most)]);
    return { rows, total };
  };
