import type { Entities } from '../entities/index.ts';
import type { LoginAttempt } from '../entities/login-attempt.ts';
import type { PendingRegistration } from '../entities/pending-registration.ts';
import type { User } from '../entities/user.ts';
import type { AnyEntity, SignInKey, SignInRows } from './backend.ts';
import type { Document, documentsOf } from './mongodb-documents.ts';
import { shown } from './search/mongodb.ts';

/**
 * The command that reads what the address alone decides. The failures are a second one: a command that looked them up for a
 * known address would do more work than for an unknown one (timing attack).
 */
export function mongodbSignIns(documents: ReturnType<typeof documentsOf>, entities: Entities) {
  const part = (entity: AnyEntity, condition: object, name: string): Document[] => [
    { $match: documents.write(entity, condition) },
    { $project: shown.projection },
    { $set: { part: name } },
  ];
  const also = (entity: AnyEntity, condition: object, name: string): Document => ({
    $unionWith: {
      coll: documents.collection(entity).collectionName,
      pipeline: part(entity, condition, name),
    },
  });

  return async ({ email }: Pick<SignInKey, 'email'>): Promise<Omit<SignInRows, 'failures'>> => {
    const rows = await documents
      .collection(entities.user)
      .aggregate([
        ...part(entities.user, { email }, 'user'),
        also(entities.pending, { email }, 'pending'),
        also(entities.loginAttempt, { subject: email }, 'attempt'),
      ])
      .toArray();
    const of = <T>(entity: AnyEntity, name: string) =>
      rows.filter(row => row.part === name).map(row => documents.read<T>(entity, row));
    return {
      user: of<User>(entities.user, 'user')[0] ?? null,
      pending: of<PendingRegistration>(entities.pending, 'pending')[0] ?? null,
      attempts: of<LoginAttempt>(entities.loginAttempt, 'attempt'),
    };
  };
}
