import type { MongodbUrl } from '../config/mongodb-url.ts';
import { isLocal } from '../config/url-parts.ts';
import { createEntities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';
import { type AnyEntity, type Backend, type Selection, whereOfPage } from './backend.ts';
import { isDriverError } from './driver-error.ts';
import { notInstalled } from './errors.ts';
import { withDeadline } from './guard.ts';
import { openOrm } from './mongodb-connect.ts';
import { type Document, documentsOf } from './mongodb-documents.ts';
import { installIndexes, mongoDifferences } from './mongodb-indexes.ts';
import { explain, readOnlyError } from './mongodb-refusals.ts';
import { remarksOnRights } from './mongodb-rights.ts';
import { mongodbSessions } from './mongodb-sessions.ts';
import { mongodbSignIns } from './mongodb-sign-ins.ts';
import { mongoSchemaState } from './mongodb-version.ts';
import type { StorageOptions } from './options.ts';
import { gramsField, gramsOfUser, gramsStage, mayBeFound, searchPattern, shown } from './search/mongodb.ts';
import { readFailures } from './sign-in-rows.ts';
import { remarksOnVersion } from './versions.ts';

/**
 * Opens MongoDB, a single server or a replica set. @throws {MissingPackageError} when the package of the driver is not
 * installed
 */
export async function openMongodb(database: MongodbUrl, options: StorageOptions): Promise<Backend> {
  const entities = createEntities(options.names, 'mongodb');
  const orm = await openOrm(database, options, entities);
  const documents = documentsOf(orm);

  /** Fails if the schema is missing: MongoDB creates collections by itself, but nothing in them would be unique. */
  async function assertInstalled(): Promise<void> {
    if (isInstalled) return;
    if ((await mongoSchemaState(orm, options)) === 'behind') throw notInstalled();
    isInstalled = true;
  }
  let isInstalled = false;

  function filterOf(entity: AnyEntity, { where, search }: Selection): Document {
    const filter = documents.write(entity, where);
    if (!search) return filter;
    const pattern = searchPattern(search.text);
    const found = search.properties.map(property => documents.write(entity, { [property]: pattern }));
    const narrowed = entity === entities.user ? [mayBeFound(search.text)] : [];
    return { ...filter, $and: [...narrowed, { $or: found }] };
  }

  const documentOf = (entity: AnyEntity, record: object) => ({
    ...documents.write(entity, record),
    ...(entity === entities.user && { [gramsField]: gramsOfUser(record as User) }),
  });

  const find: Backend['find'] = async (entity, where) => {
    const rows = await documents.collection(entity).find(documents.write(entity, where), shown).toArray();
    return rows.map(row => documents.read<object>(entity, row));
  };
  const list: Backend['list'] = async (entity, selection, page) => {
    const { orderBy, direction, limit = 0, offset = 0 } = page;
    const where = whereOfPage(selection.where, page);
    const rows = await documents
      .collection(entity)
      .find(filterOf(entity, { ...selection, where }), { ...shown, limit, skip: offset })
      .sort(documents.write(entity, { [orderBy]: direction }) as Record<string, 'asc' | 'desc'>)
      .toArray();
    return rows.map(row => documents.read<object>(entity, row));
  };
  const count: Backend['count'] = (entity, selection, most) =>
    documents
      .collection(entity)
      .countDocuments(filterOf(entity, selection), most === undefined ? {} : { limit: most });
  const readByAddress = mongodbSignIns(documents, entities);
  const ping = () =>
    withDeadline(async () => {
      const { isWritablePrimary } = await orm.em.getConnection().getDb().command({ hello: 1 });
      if (!isWritablePrimary) throw readOnlyError();
    });

  return {
    name: 'mongodb',
    entities,
    guard: work =>
      withDeadline(async () => {
        await assertInstalled();
        return work();
      }),
    async insert(entity, record) {
      const stages = documents.insertion(entity, record);
      if (stages) {
        const { _id } = documents.write(entity, record);
        await documents.collection(entity).updateOne({ _id }, stages, { upsert: true });
        return;
      }
      await documents.collection(entity).insertOne(documentOf(entity, record));
    },
    async insertMany(entity, records) {
      const inserted = records.map(record => documentOf(entity, record));
      if (inserted.length === 0) return [];
      const rejected = await documents
        .collection(entity)
        .insertMany(inserted, { ordered: false })
        .then(() => new Set<number>(), rejectedIndexes);
      return inserted.filter((_, i) => !rejected.has(i)).map(({ _id }) => _id);
    },
    async update(entity, where, patch) {
      const filter = documents.write(entity, where);
      const stages: Document[] = [{ $set: documents.stage(entity, patch) }];
      const { email, fullName } = patch.set ?? {};
      if (entity === entities.user && (email ?? fullName) !== undefined) stages.push(gramsStage);
      const options = { ...shown, returnDocument: 'after' } as const;
      const row = await documents.collection(entity).findOneAndUpdate(filter, stages, options);
      return row && documents.read<object>(entity, row);
    },
    async claim(entity, where, patch, { orderBy, limit }) {
      const filter = documents.write(entity, where);
      const sort = documents.write(entity, { [orderBy]: 1 }) as unknown as Record<string, 1>;
      const options = { ...shown, sort, returnDocument: 'after' } as const;
      const claimed: object[] = [];
      while (claimed.length < limit) {
        const stages = [{ $set: documents.stage(entity, patch) }];
        const row = await documents.collection(entity).findOneAndUpdate(filter, stages, options);
        if (!row) break;
        claimed.push(documents.read<object>(entity, row));
      }
      return claimed;
    },
    async tally(entity, record, { unique, number }) {
      const { [unique]: key, [number]: by, ...others } = record as Record<string, unknown>;
      const added = {
        $setOnInsert: documents.write(entity, others),
        $inc: documents.write(entity, { [number]: by }),
      };
      const filter = documents.write(entity, { [unique]: key });
      await upserted(() => documents.collection(entity).updateOne(filter, added as object, { upsert: true }));
    },
    async replace(entity, record) {
      const { _id, ...document } = documents.write(entity, record);
      await upserted(() => documents.collection(entity).replaceOne({ _id }, document, { upsert: true }));
    },
    async delete(entity, where) {
      return (await documents.collection(entity).deleteMany(documents.write(entity, where))).deletedCount;
    },
    find,
    list,
    count,
    async listAndCount(entity, selection, page, most) {
      const [rows, total] = await Promise.all([
        list(entity, selection, page),
        count(entity, selection, most),
      ]);
      return { rows, total };
    },
    findSessions: mongodbSessions(documents, entities, options.readsLastSeen),
    async findForSignIn({ email, decoy }) {
      const found = await readByAddress({ email });
      return { ...found, failures: await readFailures({ entities, find }, found.user, decoy) };
    },
    async awaitDurability() {
      // A read may return what is not yet in the journal or on a majority. A write waits for all writes before it, even if
      // it changes nothing; no row has this id.
      await documents.collection(entities.blacklist).deleteOne({ _id: '' });
    },
    async install() {
      try {
        return await installIndexes(orm, entities, options);
      } catch (error) {
        throw explain(error, database, true);
      }
    },
    isDriverError,
    explain: error => explain(error, database),
    readSchemaState: () => withDeadline(() => mongoSchemaState(orm, options)),
    findDifferences: () => mongoDifferences(orm, entities, options),
    async listRemarks() {
      const db = orm.em.getConnection().getDb();
      const { version } = await db.command({ buildInfo: 1 });
      const collections = Object.values(entities).map(entity => documents.collection(entity).collectionName);
      const rights = await remarksOnRights(orm, database.database, [...collections, options.migrations]);
      return [...remarksOnVersion('MongoDB', String(version)), ...rights];
    },
    ping,
    async describeConnection() {
      await ping();
      const { isEncrypted, verifies, hosts } = database;
      return {
        transport: { isEncrypted, verifies, isLocal: hosts.every(({ host }) => isLocal(host)) },
        pooler: null,
      };
    },
    async now() {
      return (await orm.em.getConnection().getDb().command({ hello: 1 })).localTime as Date;
    },
    async shortenWindow(key, leftMs) {
      // The counting package writes documents of its own form.
      const windows = documents.collection(entities.rateLimit);
      const expire = new Date(Date.now() + leftMs);
      await windows.updateOne({ key, expire: { $gt: expire } }, { $set: { expire } });
    },
    openCounterStore: async () => ({
      kind: 'mongodb',
      client: orm.em.getConnection().getClient(),
      database: database.database,
    }),
    close: () => orm.close(true),
  };
}

/** Runs an upsert: of two concurrent ones of one key, the loser finds the row at its second attempt. */
async function upserted(put: () => Promise<unknown>): Promise<void> {
  await put().catch(error => ((error as { code?: number }).code === 11000 ? put() : Promise.reject(error)));
}

/** Returns which of many documents a unique index has rejected. @throws the error itself when it was anything else */
function rejectedIndexes(error: unknown): Set<number> {
  const { writeErrors } = error as { writeErrors?: OneOrMore<{ code: number; index: number }> };
  const rejections = writeErrors === undefined ? [] : [writeErrors].flat();
  if (rejections.length === 0 || rejections.some(({ code }) => code !== 11000)) throw error;
  return new Set(rejections.map(({ index }) => index));
}

type OneOrMore<T> = T | T[];
