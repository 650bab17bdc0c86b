import type { BoundTables } from '../tables/bind.ts';
import type { User } from '../tables/user.ts';
import type { Backend, SessionKey, SessionRow, TokenKey } from './backend.ts';
import type { Document, documentsOf } from './mongodb-documents.ts';
import { shown } from './search/mongodb.ts';

type Documents = ReturnType<typeof documentsOf>;

const lookUp = (from: string, ids: readonly string[], as: string, projection: Document): Document => ({
  $lookup: { from, pipeline: [{ $match: { _id: { $in: ids } } }, { $project: projection }], as },
});

/** Returns a stage that adds to a document which of these ids are blacklisted. */
export const blacklistLookUp = (tables: BoundTables, ids: readonly string[]): Document =>
  lookUp(tables.blacklist.name, ids, 'blacklisted', { _id: 1 });

/** Returns whether that stage has found one. */
export const isBlacklisted = ({ blacklisted = [] }: Document): boolean =>
  (blacklisted as unknown[]).length > 0;

/** The checks of sessions and access tokens: the user, whether an id is blacklisted, and when the session was last used. */
export function mongodbSessions(
  documents: Documents,
  tables: BoundTables,
  readsLastSeen = false,
): Pick<Backend, 'findSessions' | 'findTokens'> {
  const users = documents.collection(tables.users);
  const blacklist = documents.collection(tables.blacklist);
  const sessions = documents.collection(tables.sessions);

  function rowOf(user: Document, isEnded: boolean, seen: Document | undefined): SessionRow {
    const found = { user: documents.read<User>(tables.users, user), isBlacklisted: isEnded };
    if (!readsLastSeen) return found;
    return { ...found, lastSeenAt: (seen?.last_seen_at as Date | undefined) ?? null };
  }

  async function findOne({ userId, jti }: SessionKey, ids: readonly string[]): Promise<SessionRow | null> {
    const [row] = await users
      .aggregate([
        { $match: { _id: userId } },
        { $project: shown.projection },
        blacklistLookUp(tables, ids),
        ...(readsLastSeen ? [lookUp(sessions.collectionName, [jti], 'seen', { last_seen_at: 1 })] : []),
      ])
      .toArray();
    if (!row) return null;
    const [seen] = (row.seen ?? []) as Document[];
    return rowOf(row, isBlacklisted(row), seen);
  }

  /** Reads several by one command a collection, in their order. `idsOf` returns the ids of which none may be blacklisted. */
  async function findAll<Key extends SessionKey>(
    keys: readonly Key[],
    idsOf: (key: Key) => readonly string[],
  ): Promise<(SessionRow | null)[]> {
    if (keys.length === 1) return [await findOne(keys[0]!, idsOf(keys[0]!))];
    const among = (ids: string[]) => ({ _id: { $in: ids } });
    const [found, blacklisted, seen] = await Promise.all([
      users.find(among(keys.map(({ userId }) => userId)), shown).toArray(),
      blacklist.find(among(keys.flatMap(idsOf)), { projection: { _id: 1 } }).toArray(),
      readsLastSeen
        ? sessions.find(among(keys.map(({ jti }) => jti)), { projection: { last_seen_at: 1 } }).toArray()
        : [],
    ]);
    const byId = (rows: { _id: string }[]) => new Map<string, Document>(rows.map(row => [row._id, row]));
    const [usersById, blacklistById, seenById] = [byId(found), byId(blacklisted), byId(seen)];
    return keys.map(key => {
      const user = usersById.get(key.userId);
      const isEnded = idsOf(key).some(id => blacklistById.has(id));
      return user ? rowOf(user, isEnded, seenById.get(key.jti)) : null;
    });
  }

  return {
    findSessions: keys => findAll(keys, ({ jti }) => [jti]),
    findTokens: keys => findAll(keys, ({ jti, tokenJti }: TokenKey) => [jti, tokenJti]),
  };
}
