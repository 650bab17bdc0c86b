import type { MikroORM } from '@mikro-orm/mongodb';
import type { BoundTables } from '../tables/bind.ts';
import type { BoundTable } from '../tables/bound.ts';
import { graceSeconds, type MongodbIndex } from '../tables/define.ts';
import { superseded } from '../tables/oauth-identity.ts';
import { users } from '../tables/user.ts';
import type { Difference } from './backend.ts';
import { StorageError } from './errors.ts';
import { confirmedPhonesVersion, confirmPhones } from './mongodb-confirmed-phones.ts';
import { compareVersions, raiseVersion, schemaVersion, versionsOf } from './mongodb-version.ts';
import type { StorageOptions } from './options.ts';
import { aheadError } from './schema-state.ts';
import { gramsField, gramsStage } from './search/mongodb.ts';

/** The version since which lists of users are in the order of `created_at`. */
const listOrderVersion = 17;
/** The indexes in the order of ids, by which earlier versions list users. */
const formerListIndexes = [
  'is_active',
  'is_verified',
  'is_superuser',
  'is_mfa_enabled',
  'reported_at',
  'own_roles',
].map(field => `${field}_1__id_1`);

/** The version since which grams have their present form. */
const gramsVersion = 6;

/** Returns the indexes of a collection. MongoDB removes rows that have ended by itself. */
function indexesOf({ table, columns, fields }: BoundTable, windowSeconds: number): MongodbIndex[] {
  const { ends, indexes = [], uniques = [], mongodb = {} } = table;
  const on = (properties: readonly string[]) =>
    Object.fromEntries(properties.map(property => [fields.get(property)!, 1 as const]));
  const single = Object.entries(columns).flatMap(([property, { traits }]): MongodbIndex[] => {
    const keys = on([property]);
    if (traits.isUnique) {
      const partialFilterExpression = mongodb.partialUniques?.[property];
      return [{ keys, unique: true, ...(partialFilterExpression && { partialFilterExpression }) }];
    }
    if (ends?.by === property) {
      const { keptSeconds = graceSeconds, plusWindow } = ends;
      return [{ keys, expireAfterSeconds: keptSeconds + (plusWindow ? windowSeconds : 0) }];
    }
    return traits.isIndexed ? [{ keys }] : [];
  });
  return [
    ...single,
    ...uniques.map(properties => ({ keys: on(properties), unique: true })),
    ...indexes.map(properties => ({ keys: on(properties) })),
    ...(mongodb.indexes ?? []),
    ...(table.name === users.name ? [{ keys: { [gramsField]: 1 as const } }] : []),
  ];
}

/**
 * Creates the missing indexes, and returns 1 if the stored version was another. It changes nothing else: the operator's
 * own indexes stay. The ORM's own installer would drop every index of a collection when one of them conflicts.
 */
export async function installIndexes(
  orm: MikroORM,
  tables: BoundTables,
  options: StorageOptions,
): Promise<number> {
  const db = orm.em.getConnection().getDb();
  const versions = versionsOf(orm, options);
  const stored = await versions.findOne({ _id: 'schema' });
  const state = compareVersions(stored);
  if (state === 'ahead') throw aheadError();
  // The installed indexes are those of the later version.
  if (state === 'compatible') return 0;

  for (const bound of Object.values(tables)) {
    const indexes = indexesOf(bound, options.attemptLifetimeSeconds);
    await createIndexes(db.collection(bound.name), indexes).catch(async () => {
      // The server has refused one and created none.
      for (const index of indexes) await createIndex(orm, bound.name, index);
    });
  }
  // Documents that another program inserted have no grams; those of an earlier version have others.
  const stale = stored && stored.version < gramsVersion ? {} : { [gramsField]: { $exists: false } };
  await db.collection(tables.users.name).updateMany(stale, [gramsStage], { timeoutMS: 0 });
  await assignIssuers(orm, tables, options);
  if (stored && stored.version < listOrderVersion)
    for (const name of formerListIndexes) await dropIndex(orm, tables.users.name, name);
  if (stored && stored.version < confirmedPhonesVersion) await confirmPhones(orm, tables);
  await versions.updateOne({ _id: 'schema' }, [raiseVersion], { upsert: true });
  return stored?.version === schemaVersion ? 0 : 1;
}

/** Creates the indexes that are missing in a collection, by one command: a command for each takes several times as long. */
const createIndexes = (collection: Collection, indexes: readonly MongodbIndex[]) =>
  collection.createIndexes(
    indexes.map(({ keys, unique, expireAfterSeconds, partialFilterExpression }) => ({
      key: keys,
      name: Object.entries(keys)
        .map(([key, order]) => `${key}_${order}`)
        .join('_'),
      ...(unique && { unique }),
      ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
      ...(partialFilterExpression && { partialFilterExpression }),
    })),
    { timeoutMS: 0 },
  );

/** Creates one index, or takes one that is there. @throws {StorageError} when neither can serve */
async function createIndex(orm: MikroORM, collection: string, index: MongodbIndex): Promise<void> {
  try {
    await createIndexes(orm.em.getConnection().getDb().collection(collection), [index]);
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === 11000) {
      throw new StorageError(
        `The collection ${collection} contains documents with the same ${Object.keys(index.keys).join(' and ')}. Remove the duplicates, then start again.`,
      );
    }
    // 85 IndexOptionsConflict, 86 IndexKeySpecsConflict
    if (code !== 85 && code !== 86) throw error;
    await reconcile(orm, collection, index);
  }
}

/**
 * Sets the issuer of identities that an earlier version stored, and drops the index that made a subject unique per
 * provider. An identity whose subject was linked again meanwhile gets an issuer that never matches.
 */
async function assignIssuers(
  orm: MikroORM,
  tables: BoundTables,
  { identityIssuers }: StorageOptions,
): Promise<void> {
  const identities = orm.em.getConnection().getDb().collection(tables.oauth_identities.name);
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
  await dropIndex(orm, tables.oauth_identities.name, 'provider_1_subject_id_1');
}

/** Drops an index of a former version by the name that Gatehouse gave it; it may be gone already (27 IndexNotFound). */
async function dropIndex(orm: MikroORM, collection: string, name: string): Promise<void> {
  const there = orm.em.getConnection().getDb().collection(collection);
  await there.dropIndex(name).catch(error => {
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
async function reconcile(orm: MikroORM, collection: string, wanted: MongodbIndex): Promise<void> {
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

type Collection = ReturnType<ReturnType<ReturnType<MikroORM['em']['getConnection']>['getDb']>['collection']>;

/** An index as the server describes it. */
interface StoredIndex {
  key: object;
  unique?: boolean;
  sparse?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: object;
  collation?: object;
}

const keysOf = ({ keys }: MongodbIndex) => Object.keys(keys).join(', ');
const hasSameKeys = (index: StoredIndex, { keys }: MongodbIndex) =>
  JSON.stringify(index.key) === JSON.stringify(keys);

/**
 * Returns whether an index covers every document, has the wanted order, and is unique if the wanted one is; its lifetime
 * may differ.
 */
const serves = (index: StoredIndex, wanted: MongodbIndex) =>
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
  tables: BoundTables,
  { attemptLifetimeSeconds }: StorageOptions,
): Promise<Difference[]> {
  const db = orm.em.getConnection().getDb();
  const wanted = Object.values(tables).flatMap(bound =>
    indexesOf(bound, attemptLifetimeSeconds).map((index): [collection: string, MongodbIndex] => [
      bound.name,
      index,
    ]),
  );
  const stored = new Map<string, StoredIndex[]>();
  for (const collection of new Set(wanted.map(([name]) => name))) {
    stored.set(collection, await indexesIn(db.collection(collection)));
  }
  return wanted.flatMap(([collection, index]): Difference[] => {
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
