import type { MongodbUrl } from '../config/mongodb-url.ts';
import { isLocal } from '../config/url-parts.ts';
import { bindTables } from '../tables/bind.ts';
import type { BoundTable } from '../tables/bound.ts';
import type { User } from '../tables/user.ts';
import type { Backend } from './backend.ts';
import { isDriverError } from './driver-error.ts';
import { notInstalled } from './errors.ts';
import { withDeadline } from './guard.ts';
import { openOrm } from './mongodb-connect.ts';
import { type Document, documentsOf } from './mongodb-documents.ts';
import { installIndexes, mongoDifferences } from './mongodb-indexes.ts';
import { mongodbLists } from './mongodb-lists.ts';
import { explain, readOnlyError } from './mongodb-refusals.ts';
import { remarksOnRights } from './mongodb-rights.ts';
import { blacklistLookUp, isBlacklisted, mongodbSessions } from './mongodb-sessions.ts';
import { mongodbSignIns } from './mongodb-sign-ins.ts';
import { mongoSchemaState } from './mongodb-version.ts';
import type { StorageOptions } from './options.ts';
import { gramsField, gramsOfUser, gramsStage, shown } from './search/mongodb.ts';
import { readFailures } from './sign-in-rows.ts';
import { remarksOnVersion } from './versions.ts';

/**
 * Opens MongoDB, a single server or a replica set. @throws {MissingPackageError} when the package of the driver is not
 * installed
 */
export async function openMongodb(database: MongodbUrl, options: StorageOptions): Promise<Backend> {
  const tables = bindTables(options.names, 'mongodb');
  const orm = await openOrm(database, options, tables);
  const documents = documentsOf(orm);

  /** Fails if the schema is missing: MongoDB creates collections by itself, but nothing in them would be unique. */
  async function assertInstalled(): Promise<void> {
    if (isInstalled) return;
    if ((await mongoSchemaState(orm, options)) === 'behind') throw notInstalled();
    isInstalled = true;
  }
  let isInstalled = false;

  const documentOf = (bound: BoundTable, record: object) => ({
    ...documents.write(bound, record),
    ...(bound === tables.users && { [gramsField]: gramsOfUser(record as User) }),
  });

  const find: Backend['find'] = async (bound, where) => {
    const rows = await documents.collection(bound).find(documents.write(bound, where), shown).toArray();
    return rows.map(row => documents.read<object>(bound, row));
  };
  const readByAddress = mongodbSignIns(documents, tables);
  const ping = () =>
    withDeadline(async () => {
      const { isWritablePrimary } = await orm.em.getConnection().getDb().command({ hello: 1 });
      if (!isWritablePrimary) throw readOnlyError();
    });

  return {
    name: 'mongodb',
    tables,
    guard: work =>
      withDeadline(async () => {
        await assertInstalled();
        return work();
      }),
    async insert(bound, record) {
      const stages = documents.insertion(bound, record);
      if (stages) {
        const { _id } = documents.write(bound, record);
        // No condition holds for a document that is there, so a second one of its id is refused as by insertOne.
        await documents.collection(bound).updateOne({ _id, $nor: [{}] }, stages, { upsert: true });
        return;
      }
      await documents.collection(bound).insertOne(documentOf(bound, record));
    },
    async insertMany(bound, records) {
      const inserted = records.map(record => documentOf(bound, record));
      if (inserted.length === 0) return [];
      const rejected = await documents
        .collection(bound)
        .insertMany(inserted, { ordered: false })
        .then(() => new Set<number>(), rejectedIndexes);
      return inserted.filter((_, i) => !rejected.has(i)).map(({ _id }) => _id);
    },
    async update(bound, where, patch) {
      const filter = documents.write(bound, where);
      const stages: Document[] = [{ $set: documents.stage(bound, patch) }];
      const { email, fullName } = patch.set ?? {};
      if (bound === tables.users && (email ?? fullName) !== undefined) stages.push(gramsStage);
      const options = { ...shown, returnDocument: 'after' } as const;
      const row = await documents.collection(bound).findOneAndUpdate(filter, stages, options);
      return row && documents.read<object>(bound, row);
    },
    async claim(bound, where, patch, { orderBy, limit }) {
      const filter = documents.write(bound, where);
      const sort = documents.write(bound, { [orderBy]: 1 }) as unknown as Record<string, 1>;
      const options = { ...shown, sort, returnDocument: 'after' } as const;
      const claimed: object[] = [];
      while (claimed.length < limit) {
        const stages = [{ $set: documents.stage(bound, patch) }];
        const row = await documents.collection(bound).findOneAndUpdate(filter, stages, options);
        if (!row) break;
        claimed.push(documents.read<object>(bound, row));
      }
      return claimed;
    },
    async tally(bound, record, { unique, number }) {
      const { [unique]: key, [number]: by, ...others } = record as Record<string, unknown>;
      const added = {
        $setOnInsert: documents.write(bound, others),
        $inc: documents.write(bound, { [number]: by }),
      };
      const filter = documents.write(bound, { [unique]: key });
      await upserted(() => documents.collection(bound).updateOne(filter, added as object, { upsert: true }));
    },
    async replace(bound, record) {
      const { _id, ...document } = documents.write(bound, record);
      await upserted(() => documents.collection(bound).replaceOne({ _id }, document, { upsert: true }));
    },
    async delete(bound, where, most) {
      const rows = documents.collection(bound);
      const filter = documents.write(bound, where);
      if (most === undefined) return (await rows.deleteMany(filter)).deletedCount;
      const some = await rows.find(filter, { projection: { _id: 1 }, limit: most }).toArray();
      const ids = some.map(({ _id }) => _id);
      // A row may have changed since it was found.
      return (await rows.deleteMany({ $and: [filter, { _id: { $in: ids } }] })).deletedCount;
    },
    find,
    ...mongodbLists(documents, tables),
    async listShared(bound, where, { property, least, without, prefix, latest, limit }) {
      const [value, time] = [property, latest].map(name => bound.fields.get(name)!);
      const form = new RegExp(`^(?:${prefix})?[^${without}]*$`);
      const groups = await documents
        .collection(bound)
        .aggregate<{ _id: string }>([
          { $match: { $and: [documents.write(bound, where), { [value!]: form }] } },
          { $group: { _id: `$${value}`, rows: { $sum: 1 }, last: { $max: `$${time}` } } },
          { $match: { rows: { $gte: least } } },
          { $sort: { last: -1 } },
          { $limit: limit },
        ])
        .toArray();
      return groups.map(({ _id }) => _id);
    },
    async findOwned(bound, { property, value, tokenJti }) {
      const [found] = await documents
        .collection(bound)
        .aggregate([
          { $match: documents.write(bound, { [property]: value }) },
          {
            $lookup: {
              from: tables.users.name,
              localField: bound.fields.get(bound.table.owner!),
              foreignField: '_id',
              pipeline: [{ $project: shown.projection }],
              as: 'owners',
            },
          },
          ...(tokenJti === undefined ? [] : [blacklistLookUp(tables, [tokenJti])]),
        ])
        .toArray();
      const [user] = (found?.owners ?? []) as Document[];
      if (!found || !user || isBlacklisted(found)) return null;
      return {
        row: documents.read<object>(bound, found),
        user: documents.read<User>(tables.users, user),
      };
    },
    ...mongodbSessions(documents, tables, options.readsLastSeen),
    async findForSignIn({ email, decoy }) {
      const found = await readByAddress({ email });
      return { ...found, failures: await readFailures({ tables, find }, found.user, decoy) };
    },
    async awaitDurability() {
      // A read may return what is not yet in the journal or on a majority. A write waits for all writes before it, even if
      // it changes nothing; no row has this id.
      await documents.collection(tables.blacklist).deleteOne({ _id: '' });
    },
    async install() {
      try {
        return await installIndexes(orm, tables, options);
      } catch (error) {
        throw explain(error, database, true);
      }
    },
    isDriverError,
    explain: error => explain(error, database),
    readSchemaState: () => withDeadline(() => mongoSchemaState(orm, options)),
    findDifferences: () => mongoDifferences(orm, tables, options),
    async listRemarks() {
      const db = orm.em.getConnection().getDb();
      const { version } = await db.command({ buildInfo: 1 });
      const collections = Object.values(tables).map(bound => documents.collection(bound).collectionName);
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
      const windows = documents.collection(tables.rate_limits);
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
