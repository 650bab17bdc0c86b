import { cursorOf } from '../contract/cursors.ts';
import type { CursorPage } from '../contract/views/pages.ts';

/** How many items a page has when the client does not say. */
export const usualPage = 50;

/** Which page is asked for. */
interface Asked {
  limit?: number | null | undefined;
  after?: string | null | undefined;
}

/** Reads a page, with one additional row, which shows whether another page follows. */
export async function readPage<R extends { id: string }, T>(
  { limit, after }: Asked,
  read: (page: { after: string | null; limit: number }) => Promise<R[]>,
  toView: (row: R) => T,
): Promise<CursorPage<T>> {
  const size = limit ?? usualPage;
  const rows = await read({ after: after ?? null, limit: size + 1 });
  const shown = rows.slice(0, size);
  const hasMore = rows.length > size;
  return {
    items: shown.map(toView),
    has_more: hasMore,
    next_cursor: hasMore ? cursorOf(shown.at(-1)!.id) : null,
  };
}
