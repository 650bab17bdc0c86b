import type { MikroORM } from '@mikro-orm/mongodb';
import type { Entities } from '../entities/index.ts';
import { superseded } from '../entities/oauth-identity.ts';
import type { Difference } from './backend.ts';
import { StorageError } from './errors.ts';
import { confirmedPhonesVersion, confirmPhones } from './mongodb-confirmed-phones.ts';
import { compareVersions, raiseVersion, schemaVersion, versionsOf } from './mongodb-version.ts';
import type { StorageOptions } from './options.ts';
import { metadataOf } from './orm-entities.ts';
import { aheadError } from './schema-state.ts';
import { gramsField, gramsStage } from './search/mongodb.ts';

/** The version since which grams have their present form. */
const gramsVersion = 6;
/** Rows are kept for a day beyond their end (CONTRACT §4.5), so that a wrong clock removes nothing too early. */
const graceSeconds = 86_400;

/**
 * How far, in seconds, the clocks of a process and the database may differ before a finished sign-in is removed too early.
 */
const clockToleranceSeconds = 300;

/** How long a place is known after its last use, in seconds (CONTRACT §12.4). */
const placeSeconds = 30 * 86_400;

interface Index {
  keys: Record<string, 1 | -1>;
  unique?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
}

/** Returns every index of the collections. */
function indexesOf(
  entities: Entities,
  attemptLifetimeSeconds: number,
): [entity: Entities[keyof Entities], Index][] {
  return [
    [entities.user, { keys: { email: 1 }, unique: true }],
    [entities.user, { keys: { [gramsField]: 1 } }],
    // For the administrators' lists of users by status.
    [entities.user, { keys: { is_active: 1, _id: 1 } }],
    [entities.user, { keys: { is_verified: 1, _id: 1 } }],
    [entities.user, { keys: { is_superuser: 1, _id: 1 } }],
    [entities.user, { keys: { is_mfa_enabled: 1, _id: 1 } }],
    [entities.user, { keys: { reported_at: 1, _id: 1 } }],
    [entities.user, { keys: { own_roles: 1, _id: 1 } }],
    [entities.pending, { keys: { token_hash: 1 }, unique: true }],
    [entities.pending, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.blacklist, { keys: { exp: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.loginAttempt, { keys: { when: 1 }, expireAfterSeconds: attemptLifetimeSeconds + graceSeconds }],
    [entities.loginAttempt, { keys: { email: 1, when: 1 } }],
    [entities.mfaCode, { keys: { user_id: 1 } }],
    [entities.mfaCode, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.oauthState, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    // A finished sign-in is removed when it ends. The opposite direction makes this a separate index, which every version
    // allows.
    [
      entities.oauthState,
      {
        keys: { expires_at: -1 },
        expireAfterSeconds: clockToleranceSeconds,
        partialFilterExpression: { result_token: { $type: 'string' } },
      },
    ],
    [entities.oauthIdentity, { keys: { issuer: 1, subject_id: 1 }, unique: true }],
    [entities.oauthIdentity, { keys: { user_id: 1, provider: 1 }, unique: true }],
    [entities.authenticator, { keys: { user_id: 1 } }],
    [entities.authenticator, { keys: { slot: 1 }, unique: true }],
    [entities.authenticator, { keys: { credential_id: 1 }, unique: true }],
    [entities.challenge, { keys: { user_id: 1 } }],
    [entities.challenge, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.session, { keys: { user_id: 1 } }],
    [entities.session, { keys: { expires_at: 1 }, expireAfterSeconds: graceSeconds }],
    [entities.outbox, { keys: { next_attempt_at: 1 } }],
    [entities.outbox, { keys: { state: 1, _id: 1 } }],
    [entities.audit, { keys: { subject: 1, _id: 1 } }],
    [entities.audit, { keys: { actor: 1, _id: 1 } }],
    [entities.audit, { keys: { operation: 1, _id: 1 } }],
    [entities.audit, { keys: { outcome: 1, _id: 1 } }],
    [entities.audit, { keys: { operation: 1, outcome: 1, _id: 1 } }],
    // Most records stand for one act and have no such hash.
    [entities.audit, { keys: { fold: 1 }, unique: true, partialFilterExpression: { fold: { $gt: '' } } }],
    [entities.outbox, { keys: { lane: 1, next_attempt_at: 1 } }],
    [entities.notMeLink, { keys: { user_id: 1 } }],
    [entities.notMeLink, { keys: { expires_at: 1 }, expireAfterSeconds: clockToleranceSeconds }],
    [entities.signInPlace, { keys: { user_id: 1 } }],
    [entities.signInPlace, { keys: { last_used_at: 1 }, expireAfterSeconds: placeSeconds + graceSeconds }],
    [entities.rateLimit, { keys: { key: 1 }, unique: true }],
    [entities.rateLimit, { keys: { expire: 1 }, expireAfterSeconds: 0 }],
  ];
}

/**
 * Creates the missing indexes, and returns 1 if the stored version was another. It changes nothing else: the operator's
 * own indexes stay. The ORM's own installer would drop every index of a collection when one of them conflicts.
 */
export async function installIndexes(
  orm: MikroORM,
  entities: Entities,
  options: StorageOptions,
): Promise<number> {
  const db = orm.em.getConnection().getDb();
  const versions = versionsOf(orm, options);
  const stored = await versions.findOne({ _id: 'schema' });
  const state = compareVersions(stored);
  if (state === 'ahead') throw aheadError();
  // The installed indexes are those of the later version.
  if (state === 'compatible') return 0;

  for (const [entity, index] of indexesOf(entities, options.attemptLifetimeSeconds)) {
    const { collection } = metadataOf(orm, entity);
    const { keys, unique, expireAfterSeconds, partialFilterExpression } = index;
    const name = Object.entries(keys)
      .map(([key, order]) => `${key}_${order}`)
      .join('_');
    try {
      await db.collection(collection).createIndex(keys, {
        name,
        timeoutMS: 0,
        ...(unique && { unique }),
        ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
        ...(partialFilterExpression && { partialFilterExpression }),
      });
    } catch (error) {
      const { code } = error as { code?: number };
      if (code === 11000) {
        throw new StorageError(
          `The collection ${collection} contains documents with the same ${Object.keys(keys).join(' and ')}. Remove the duplicates, then start again.`,
        );
      }
      // 85 IndexOptionsConflict, 86 IndexKeySpecsConflict
      if (code !== 85 && code !== 86) throw error;
      await reconcile(orm, collection, index);
    }
  }
  // Documents that another program inserted have no grams; those of an earlier version have others.
  const stale = stored && stored.version < gramsVersion ? {} : { [gramsField]: { $exists: false } };
  const users = db.collection(metadataOf(orm, entities.user).collection);
  await users.updateMany(stale, [gramsStage], { timeoutMS: 0 });
  await assignIssuers(orm, entities, options);
  if (stored && stored.version < confirmedPhonesVersion) await confirmPhones(orm, entities);
  await versions.updateOne({ _id: 'schema' }, [raiseVersion], { upsert: true });
  return stored?.version === schemaVersion ? 0 : 1;
}

/**
 * Sets the issuer of identities that an earlier version stored, and drops the index that made a subject unique per
 * provider. An identity whose subject was linked again meanwhile gets an issuer that signs nobody in.
 */
async function assignIssuers(
  orm: MikroORM,
  entities: Entities,
  { identityIssuers }: StorageOptions,
): Promise<void> {
  const { collection } = metadataOf(orm, entities.oauthIdentity);
  const identities = orm.em.getConnection().getDb().collection(collection);
  for (const [provider, issuer] of Object.entries(identityIssuers)) {
    const former = { provider, issuer: { $exists: false } };
    const set = { $set: { issuer } };
    const isDone = await unlessDuplicate(identities.updateMany(former, set, { timeoutMS: 0 }));
    if (isDone) continue;
    // The server stopped at the first that cannot have it: one by one.
    for await (const { _id } of identities.find(former, { projection: { _id: 1 }, timeoutMS: 0 })) {
      const one = { ...former, _id };
      if (await unlessDuplicate(identities.updateOne(one, set, { timeoutMS: 0 }))) continue;
      await unlessDuplicate(identities.updateOne(one, { $set: { issuer: superseded } }, { timeoutMS: 0 }));
    }
  }
  // Matches only the name that Gatehouse gave it; another process may have dropped it already (27 IndexNotFound).
  await identities.dropIndex('provider_1_subject_id_1').catch(error => {
    if ((error as { code?: number }).code !== 27) throw error;
  });
}

/** Waits for a change. Returns false when a unique index forbids it. */
async function unlessDuplicate(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if ((error as { code?: number }).code === 11000) return false;
    throw error;
  }
}

/**
 * Handles an existing index on the same keys: keeps it, sets its lifetime, or fails with the reason why it cannot serve.
 */
async function reconcile(orm: MikroORM, collection: string, wanted: Index): Promise<void> {
  const db = orm.em.getConnection().getDb();
  const there = (await db.collection(collection).indexes()).find(index => hasSameKeys(index, wanted));
  if (!there || !serves(there, wanted)) {
    throw new StorageError(
      `The collection ${collection} has another index on (${keysOf(wanted)}) or one of the same name, that can't be used. Drop it, then start again.`,
    );
  }
  if (wanted.expireAfterSeconds === there.expireAfterSeconds) return;
  await db.command({
    collMod: collection,
    index: { name: there.name, expireAfterSeconds: wanted.expireAfterSeconds },
  });
}

/** An index as the server describes it. */
interface StoredIndex {
  key: object;
  unique?: boolean;
  sparse?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
  collation?: object;
}

const keysOf = ({ keys }: Index) => Object.keys(keys).join(', ');
const hasSameKeys = (index: StoredIndex, { keys }: Index) =>
  JSON.stringify(index.key) === JSON.stringify(keys);

/**
 * Returns whether an index covers every document, has the wanted order, and is unique if the wanted one is; its lifetime
 * may differ.
 */
const serves = (index: StoredIndex, wanted: Index) =>
  hasSameKeys(index, wanted) &&
  JSON.stringify(index.partialFilterExpression) === JSON.stringify(wanted.partialFilterExpression) &&
  !index.sparse &&
  !index.collation &&
  Boolean(index.unique) === Boolean(wanted.unique);

/**
 * Returns how the indexes differ from what this version needs. Indexes that do not belong to Gatehouse are not
 * differences.
 */
export async function mongoDifferences(
  orm: MikroORM,
  entities: Entities,
  { attemptLifetimeSeconds }: StorageOptions,
): Promise<Difference[]> {
  const db = orm.em.getConnection().getDb();
  const wanted = indexesOf(entities, attemptLifetimeSeconds).map(([entity, index]) => ({
    collection: metadataOf(orm, entity).collection,
    index,
  }));
  const stored = new Map<string, StoredIndex[]>();
  for (const collection of new Set(wanted.map(each => each.collection))) {
    stored.set(collection, await indexesIn(db.collection(collection)));
  }
  return wanted.flatMap(({ collection, index }): Difference[] => {
    const isUnique = index.unique === true;
    const place = `the ${isUnique ? 'unique index' : 'index'} on ${collection} (${keysOf(index)})`;
    const there = stored.get(collection)!.find(each => serves(each, index));
    if (!there) return [{ text: `${place} is missing`, isFatal: isUnique }];
    if (index.expireAfterSeconds === there.expireAfterSeconds) return [];
    const lifetimes = [there, index].map(({ expireAfterSeconds }) =>
      expireAfterSeconds === undefined ? 'never' : `after ${expireAfterSeconds} s`,
    );
    return [
      { text: `${place} removes documents ${lifetimes[0]} instead of ${lifetimes[1]}`, isFatal: false },
    ];
  });
}

/** Returns the indexes of a collection; none if the collection does not exist (26 NamespaceNotFound). */
const indexesIn = (collection: { indexes(): Promise<StoredIndex[]> }): Promise<StoredIndex[]> =>
  collection
    .indexes()
    .catch(error => ((error as { code?: number }).code === 26 ? [] : Promise.reject(error)));
