import type { BoundTables } from '../tables/bind.ts';
import type { User } from '../tables/user.ts';
import type { SessionKey, SessionRow } from './backend.ts';
import type { Document, documentsOf } from './mongodb-documents.ts';
import { shown } from './search/mongodb.ts';

type Documents = ReturnType<typeof documentsOf>;

/** The reads of the session check: the user, whether the token is blacklisted, and when it was last used. */
export function mongodbSessions(documents: Documents, tables: BoundTables, readsLastSeen = false) {
  const users = documents.collection(tables.users);
  const blacklist = documents.collection(tables.blacklist);
  const sessions = documents.collection(tables.sessions);

  const lookUp = (from: string, jti: string, as: string, projection: Document): Document => ({
    $lookup: { from, pipeline: [{ $match: { _id: jti } }, { $project: projection }], as },
  });

  function rowOf(user: Document, isBlacklisted: boolean, seen: Document | undefined): SessionRow {
    const found = { user: documents.read<User>(tables.users, user), isBlacklisted };
    if (!readsLastSeen) return found;
    return { ...found, lastSeenAt: (seen?.last_seen_at as Date | undefined) ?? null };
  }

  async function findSession({ userId, jti }: SessionKey): Promise<SessionRow | null> {
    const [row] = await users
      .aggregate([
        { $match: { _id: userId } },
        { $project: shown.projection },
        lookUp(blacklist.collectionName, jti, 'blacklisted', { _id: 1 }),
        ...(readsLastSeen ? [lookUp(sessions.collectionName, jti, 'seen', { last_seen_at: 1 })] : []),
      ])
      .toArray();
    if (!row) return null;
    const [seen] = (row.seen ?? []) as Document[];
    return rowOf(row, (row.blacklisted as unknown[]).length > 0, seen);
  }

  /** Reads several sessions by one command a collection, in their order. */
  return async (keys: readonly SessionKey[]): Promise<(SessionRow | null)[]> => {
    if (keys.length === 1) return [await findSession(keys[0]!)];
    const tokens = { _id: { $in: keys.map(({ jti }) => jti) } };
    const [found, blacklisted, seen] = await Promise.all([
      users.find({ _id: { $in: keys.map(({ userId }) => userId) } }, shown).toArray(),
      blacklist.find(tokens, { projection: { _id: 1 } }).toArray(),
      readsLastSeen ? sessions.find(tokens, { projection: { last_seen_at: 1 } }).toArray() : [],
    ]);
    const byId = (rows: { _id: string }[]) => new Map<string, Document>(rows.map(row => [row._id, row]));
    const [usersById, blacklistById, seenById] = [byId(found), byId(blacklisted), byId(seen)];
    return keys.map(({ userId, jti }) => {
      const user = usersById.get(userId);
      return user ? rowOf(user, blacklistById.has(jti), seenById.get(jti)) : null;
    });
  };
}
