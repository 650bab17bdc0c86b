import { z } from 'zod';
import { field } from './inputs/refused.ts';

/** Returns the cursor of an item, which is opaque to clients: its key in base64url. */
export const cursorOf = (...key: string[]): string => Buffer.from(key.join(' ')).toString('base64url');

/** Returns the key in a cursor, or null if the text is no cursor. */
function keyIn(cursor: string): string | null {
  const key = Buffer.from(cursor, 'base64url').toString();
  return key !== '' && cursorOf(key) === cursor ? key : null;
}

/** A cursor of the former version, which was an id or an address as it is: it is read until the next version. */
const former = z.union([z.guid(), z.email()]);

/** Where a page begins: behind the item of this cursor. */
export const after = z
  .string()
  .max(2000, field('cursor'))
  .transform((cursor, { issues }) => {
    const key = keyIn(cursor) ?? former.safeParse(cursor).data;
    if (key !== undefined && key.length <= 1000 && !/\p{Cc}/u.test(key)) return key;
    issues.push({ code: 'custom', input: cursor, message: field('cursor') });
    return z.NEVER;
  })
  .nullish()
  .describe('The cursor of an item: the page begins behind it.');

/** The members of a user that its cursor is made of. The id is first, as the former version compares the whole with ids. */
export const userCursor = ['id', 'created_at'] as const;

/** Where a page of users begins. A cursor of the former version has the id alone; it is read until the next version. */
export const afterUser = after.transform(key => {
  if (key == null) return null;
  const [, id, time] = /^(.*) (\S+)$/s.exec(key) ?? [];
  const createdAt = z.iso.datetime().safeParse(time).data;
  return createdAt === undefined ? { id: key, createdAt: null } : { id: id!, createdAt: new Date(createdAt) };
});
