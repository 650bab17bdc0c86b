import type { MikroORM } from '@mikro-orm/mongodb';
import type { Entities } from '../entities/index.ts';
import { StorageError } from './errors.ts';
import { aheadError } from './migrate.ts';
import { migrationsTable } from './migrations/index.ts';
import { gramsField, gramsStage } from './mongodb-grams.ts';
import type { StorageOptions } from './open.ts';

/** The version of the documents' shape; a later one is refused, so that an old process can't spoil new documents. */
const schemaVersion = 2;
/** Rows are kept a day beyond their end (CONTRACT §4.5), so that a clock that is wrong removes nothing too soon. */
const graceSeconds = 86_400;

interface Index {
  keys: Record<string, 1 | -1>;
  unique?: boolean;
  expireAfterSeconds?: number;
}

/** Every index of the collections. */
function indexesOf(
  entities: Entities,
  attemptLifetimeSeconds: number,
): [entity: Entities[keyof Entities], Index][] {
  return [
    [entities.user, { keys: { email: 1 }, unique: true }],
    [entities.user, { keys: { [gramsField]: 1 } }],
    // Administrators list users by what they are.
    [entities.user, { keys: { is_active: 1, _id: 1 } }],
    [entities.user, { keys: { is_verified: 1, _id: 1 } }],
    [entities.user, { keys: { is_superuser: 1, _id: 1 } }],
    [entities.user, { keys: { is_mfa_enabled: 1, _id: 1 } }],
    [entities.pending, { keys: { token_hash: 1 }, unique: true }],
    [entities.pending, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.blacklist, { keys: { exp: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.loginAttempt, { keys: { when: 1 }, expireAfterSeconds: attemptLifetimeSeconds + graceSeconds }],
    [entities.loginAttempt, { keys: { email: 1, when: 1 } }],
    [entities.mfaCode, { keys: { user_id: 1 } }],
    [entities.mfaCode, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.oauthState, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.oauthIdentity, { keys: { provider: 1, subject_id: 1 }, unique: true }],
    [entities.oauthIdentity, { keys: { user_id: 1, provider: 1 }, unique: true }],
    [entities.rateLimit, { keys: { key: 1 }, unique: true }],
    [entities.rateLimit, { keys: { expire: 1 }, expireAfterSeconds: 0 }],
  ];
}

/**
 * Makes the indexes that are missing, and answers 1 where the version was another; it makes none else: the operator's own indexes stay. The ORM's own installer would
 * drop every index of a collection when one of them conflicts.
 */
export async function installIndexes(
  orm: MikroORM,
  entities: Entities,
  options: StorageOptions,
): Promise<number> {
  const db = orm.em.getConnection().getDb();
  const versions = db.collection<{ _id: string; version: number }>(migrationsTable(options.names));
  const stored = await versions.findOne({ _id: 'schema' });
  if (stored && stored.version > schemaVersion) throw aheadError();

  for (const [entity, index] of indexesOf(entities, options.attemptLifetimeSeconds)) {
    const { collection } = orm.getMetadata().get(entity.meta.class);
    const { keys, unique, expireAfterSeconds } = index;
    const name = Object.entries(keys)
      .map(([key, order]) => `${key}_${order}`)
      .join('_');
    try {
      await db.collection(collection).createIndex(keys, {
        name,
        timeoutMS: 0,
        ...(unique && { unique }),
        ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
      });
    } catch (error) {
      const { code } = error as { code?: number };
      if (code === 11000) {
        throw new StorageError(
          `The collection ${collection} holds documents that share ${Object.keys(keys).join(' and ')}. Remove the doubles, then start again.`,
        );
      }
      // 85 IndexOptionsConflict, 86 IndexKeySpecsConflict
      if (code !== 85 && code !== 86) throw error;
      await reconcile(orm, collection, index);
    }
  }
  // Those of an earlier version, and those that somebody else put there.
  const users = db.collection(orm.getMetadata().get(entities.user.meta.class).collection);
  await users.updateMany({ [gramsField]: { $exists: false } }, [gramsStage], { timeoutMS: 0 });
  await versions.updateOne({ _id: 'schema' }, { $max: { version: schemaVersion } }, { upsert: true });
  return stored?.version === schemaVersion ? 0 : 1;
}

/** An index on the same keys is there: keeps it, gives it our lifetime, or says why it can't serve. */
async function reconcile(orm: MikroORM, collection: string, wanted: Index): Promise<void> {
  const db = orm.em.getConnection().getDb();
  const there = (await db.collection(collection).indexes()).find(
    index => JSON.stringify(index.key) === JSON.stringify(wanted.keys),
  );
  const plain = there && !there.partialFilterExpression && !there.sparse && !there.collation;
  if (!there || !plain || Boolean(there.unique) !== Boolean(wanted.unique)) {
    const keys = Object.keys(wanted.keys).join(', ');
    throw new StorageError(
      `The collection ${collection} has another index on (${keys}) or one of the same name that can't serve. Drop it, then start again.`,
    );
  }
  if (wanted.expireAfterSeconds === there.expireAfterSeconds) return;
  await db.command({
    collMod: collection,
    index: { name: there.name, expireAfterSeconds: wanted.expireAfterSeconds },
  });
}

/** How the installed indexes compare with this version's. */
export async function mongoSchemaState(
  orm: MikroORM,
  options: StorageOptions,
): Promise<'current' | 'behind' | 'ahead'> {
  const versions = orm.em
    .getConnection()
    .getDb()
    .collection<{ _id: string; version: number }>(migrationsTable(options.names));
  const version = (await versions.findOne({ _id: 'schema' }))?.version ?? 0;
  if (version > schemaVersion) return 'ahead';
  return version < schemaVersion ? 'behind' : 'current';
}
