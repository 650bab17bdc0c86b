import { z } from 'zod';

/** Returns the view of a page of a list that is read by cursor and not counted. */
export const pageOf = <T extends z.ZodType>(item: T, named: { id: string; description: string }) =>
  z
    .object({
      items: z.array(item).describe('The page.'),
      has_more: z.boolean().describe('Whether another page follows.'),
      next_cursor: z.string().nullable().describe('Where the next page begins; null on the last one.'),
    })
    .meta(named);

/** A page of such a list. */
export interface CursorPage<T> {
  items: T[];
  has_more: boolean;
  next_cursor: string | null;
}
