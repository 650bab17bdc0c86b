import type { BoundTables } from '../tables/bind.ts';
import type { BoundTable } from '../tables/bound.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { PendingRegistration } from '../tables/pending-registration.ts';
import type { User } from '../tables/user.ts';
import type { SignInKey, SignInRows } from './backend.ts';
import type { Document, documentsOf } from './mongodb-documents.ts';
import { shown } from './search/mongodb.ts';

/**
 * The command that reads what the address alone decides. The failures are a second one: a command that looked them up for a
 * known address would do more work than for an unknown one (timing attack).
 */
export function mongodbSignIns(documents: ReturnType<typeof documentsOf>, tables: BoundTables) {
  const part = (bound: BoundTable, condition: object, name: string): Document[] => [
    { $match: documents.write(bound, condition) },
    { $project: shown.projection },
    { $set: { part: name } },
  ];
  const also = (bound: BoundTable, condition: object, name: string): Document => ({
    $unionWith: {
      coll: documents.collection(bound).collectionName,
      pipeline: part(bound, condition, name),
    },
  });

  return async ({ email }: Pick<SignInKey, 'email'>): Promise<Omit<SignInRows, 'failures'>> => {
    const rows = await documents
      .collection(tables.users)
      .aggregate([
        ...part(tables.users, { email }, 'user'),
        also(tables.pending, { email }, 'pending'),
        also(tables.attempts, { subject: email }, 'attempt'),
      ])
      .toArray();
    const of = <T>(bound: BoundTable, name: string) =>
      rows.filter(row => row.part === name).map(row => documents.read<T>(bound, row));
    return {
      user: of<User>(tables.users, 'user')[0] ?? null,
      pending: of<PendingRegistration>(tables.pending, 'pending')[0] ?? null,
      attempts: of<LoginAttempt>(tables.attempts, 'attempt'),
    };
  };
}
