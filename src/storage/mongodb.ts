import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { MikroORM as MongoORM } from '@mikro-orm/mongodb';
import { createEntities } from '../entities/index.ts';
import type { User } from '../entities/user.ts';
import { importOptional } from '../optional.ts';
import type { AnyEntity, Backend, Patch, Selection } from './backend.ts';
import { databaseCode, isPassing, notInstalled, StorageError } from './errors.ts';
import { deadlineMs, withDeadline } from './guard.ts';
import { asLiteral, gramsField, gramsOfUser, gramsStage, mayContain } from './mongodb-grams.ts';
import { installIndexes, mongoSchemaState } from './mongodb-indexes.ts';
import type { StorageOptions } from './open.ts';

type Document = Record<string, unknown>;

/** Options of a MongoDB URL that would weaken what CONTRACT §4.5 promises; ours take their place. */
const overruled =
  /^(w|wtimeout|wtimeoutms|journal|j|fsync|safe|readpreference|readpreferencetags|maxstalenessseconds|readconcernlevel|timeoutms|sockettimeoutms|serverselectiontimeoutms|connecttimeoutms|waitqueuetimeoutms)$/i;

/** The URL without those options; a plain edit of its query, as `mongodb://a,b/` is no URL of the URL standard. */
export function withoutOverruled(url: string): string {
  const [base, query = ''] = url.split('?', 2) as [string, string?];
  const kept = query.split('&').filter(pair => pair && !overruled.test(pair.split('=')[0]!));
  return kept.length ? `${base}?${kept.join('&')}` : base;
}

/** The options of the ORM on MongoDB, for the application and for the ORM's own command line. */
export function mongodbOptions(
  url: string,
  database: string,
  { names }: StorageOptions,
  entities = createEntities(names, 'mongodb'),
) {
  return {
    entities: Object.values(entities),
    clientUrl: withoutOverruled(url),
    dbName: database,
    namingStrategy: UnderscoreNamingStrategy,
    pool: { min: 0, max: 20 },
    ensureIndexes: false,
    // What matters reaches the instance's own log, without the data that the ORM would print.
    logger: () => {},
    implicitTransactions: false,
    driverOptions: {
      appName: 'gatehouse',
      timeoutMS: deadlineMs,
      serverSelectionTimeoutMS: deadlineMs,
      connectTimeoutMS: deadlineMs,
      writeConcern: { w: 'majority' as const, journal: true },
      readPreference: 'primary' as const,
    },
  };
}

/** MongoDB, alone or as a replica set. @throws {MissingPackageError} when the package of the driver is missing. */
export async function openMongodb(url: string, database: string, options: StorageOptions): Promise<Backend> {
  const { MikroORM } = await importOptional(
    '@mikro-orm/mongodb',
    'MongoDB',
    () => import('@mikro-orm/mongodb'),
  );
  const entities = createEntities(options.names, 'mongodb');
  const orm = new MikroORM(mongodbOptions(url, database, options, entities));
  keepCauses(orm);
  const documents = documentsOf(orm);
  const users = documents.collection(entities.user);
  const { collectionName: blacklist } = documents.collection(entities.blacklist);

  /** MongoDB makes collections by itself, but nothing would be unique in them. */
  async function assertInstalled(): Promise<void> {
    if (isInstalled) return;
    if ((await mongoSchemaState(orm, options)) === 'behind') throw notInstalled();
    isInstalled = true;
  }
  let isInstalled = false;

  function filterOf(entity: AnyEntity, { where, search }: Selection): Document {
    const filter = documents.write(entity, where);
    if (!search) return filter;
    const pattern = new RegExp(withoutCase(search.text));
    const found = search.properties.map(property => documents.write(entity, { [property]: pattern }));
    const narrowed = entity === entities.user ? [mayContain(search.text)] : [];
    return { ...filter, $and: [...narrowed, { $or: found }] };
  }

  return {
    name: 'mongodb',
    entities,
    guard: work =>
      withDeadline(async () => {
        await assertInstalled();
        return work();
      }),
    async insert(entity, record) {
      const grams = entity === entities.user && { [gramsField]: gramsOfUser(record as User) };
      await documents.collection(entity).insertOne({ ...documents.write(entity, record), ...grams });
    },
    async update(entity, where, patch) {
      const filter = documents.write(entity, where);
      const stages: Document[] = [{ $set: documents.stage(entity, patch) }];
      const { email, fullName } = patch.set ?? {};
      if (entity === entities.user && (email ?? fullName) !== undefined) stages.push(gramsStage);
      return (await documents.collection(entity).updateOne(filter, stages)).matchedCount;
    },
    async replace(entity, record) {
      const { _id, ...document } = documents.write(entity, record);
      const put = () => documents.collection(entity).replaceOne({ _id }, document, { upsert: true });
      // Two upserts of one id at once: the one that loses finds the row there the second time.
      await put().catch(error =>
        (error as { code?: number }).code === 11000 ? put() : Promise.reject(error),
      );
    },
    async delete(entity, where) {
      return (await documents.collection(entity).deleteMany(documents.write(entity, where))).deletedCount;
    },
    async find(entity, where) {
      const rows = await documents.collection(entity).find(documents.write(entity, where), shown).toArray();
      return rows.map(row => documents.read<object>(entity, row));
    },
    async list(entity, selection, { orderBy, direction, limit = 0, offset = 0 }) {
      const rows = await documents
        .collection(entity)
        .find(filterOf(entity, selection), { ...shown, limit, skip: offset })
        .sort(documents.write(entity, { [orderBy]: direction }) as Record<string, 'asc' | 'desc'>)
        .toArray();
      return rows.map(row => documents.read<object>(entity, row));
    },
    count: (entity, selection, most) =>
      documents
        .collection(entity)
        .countDocuments(filterOf(entity, selection), most === undefined ? {} : { limit: most }),
    async findSession(userId, jti) {
      const [row] = await users
        .aggregate([
          { $match: { _id: userId } },
          { $project: shown.projection },
          {
            $lookup: {
              from: blacklist,
              pipeline: [{ $match: { _id: jti } }, { $project: { _id: 1 } }],
              as: 'blacklisted',
            },
          },
        ])
        .toArray();
      if (!row) return null;
      return {
        user: documents.read<User>(entities.user, row),
        isBlacklisted: (row.blacklisted as unknown[]).length > 0,
      };
    },
    async settle() {
      // A read may show what no journal and no majority has yet. A write waits until all before it are there, even one
      // that changes nothing; no row has this id.
      await documents.collection(entities.blacklist).deleteOne({ _id: '' });
    },
    async install() {
      try {
        return await installIndexes(orm, entities, options);
      } catch (error) {
        throw explain(error, url, database, true);
      }
    },
    explain: error => explain(error, url, database),
    schemaState: () => withDeadline(() => mongoSchemaState(orm, options)),
    ping: () => withDeadline(async () => void (await orm.em.getConnection().getDb().command({ ping: 1 }))),
    counterStore: async () => ({ kind: 'mongodb', client: orm.em.getConnection().getClient(), database }),
    close: () => orm.close(true),
  };
}

/** What readers of rows have no use for. */
const shown = { projection: { [gramsField]: 0 } };

/** A pattern of plain text in which A to Z match a to z and the reverse; everything else matches itself. */
function withoutCase(text: string): string {
  return asLiteral(text).replace(/[a-z]/gi, letter => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** The ORM's exceptions lose the class of the driver's, which is how an outage is known; here they keep it as their cause. */
function keepCauses(orm: MongoORM): void {
  const converter = orm.driver.getPlatform().getExceptionConverter();
  const convert = converter.convertException.bind(converter);
  converter.convertException = error => Object.assign(convert(error), { cause: error });
}

/** Records as documents, by the ORM's own names of their fields. */
function documentsOf(orm: MongoORM) {
  const props = (entity: AnyEntity) => orm.getMetadata().get(entity.meta.class).props;
  const field = (entity: AnyEntity, property: string) =>
    props(entity).find(prop => prop.name === property)?.fieldNames[0] ?? property;

  return {
    collection(entity: AnyEntity) {
      return orm.em
        .getConnection()
        .getDb()
        .collection<{ _id: string } & Document>(orm.getMetadata().get(entity.meta.class).collection);
    },
    write(entity: AnyEntity, record: object): Document & { _id: string } {
      const fields = Object.entries(record).map(([name, value]) => [field(entity, name), value]);
      return Object.fromEntries(fields);
    },
    read<T>(entity: AnyEntity, document: Document): T {
      return Object.fromEntries(
        props(entity).map(prop => [prop.name, document[prop.fieldNames[0]!] ?? null]),
      ) as T;
    },
    /** The `$set` stage of a patch. Values stand under `$literal`, because a text that begins with `$` names a field here. */
    stage(entity: AnyEntity, { set = {}, increment = {}, raise = {}, cutOffAt }: Patch): Document {
      const stage: Document = {};
      for (const [name, value] of Object.entries(set)) stage[field(entity, name)] = { $literal: value };
      for (const [name, by] of Object.entries(increment)) {
        stage[field(entity, name)] = { $add: [`$${field(entity, name)}`, by] };
      }
      // $max ignores null, so that an absent time counts as the earliest.
      for (const [name, to] of Object.entries(raise)) {
        stage[field(entity, name)] = { $max: [`$${field(entity, name)}`, to] };
      }
      if (cutOffAt) {
        const cutoff = field(entity, 'tokensInvalidatedAfter');
        const issued = field(entity, 'lastIssuedAt');
        stage[cutoff] = { $max: [cutOffAt, `$${issued}`, { $add: [`$${cutoff}`, 1] }] };
      }
      return stage;
    },
  };
}

/**
 * What is wrong with the server, in one line that holds no password and no row; some of it only while the schema is
 * installed.
 */
function explain(error: unknown, url: string, database: string, isInstalling = false): unknown {
  if (error instanceof StorageError) return error;
  const hosts = /^[^:]+:\/\/(?:[^/]*@)?([^/?]*)/.exec(url)?.[1] ?? '';
  const code = databaseCode(error);
  if (code === '18' || code === '8000') {
    return new StorageError(
      `MongoDB at ${hosts} does not let this user in. Check user, password and authSource in database_url.`,
    );
  }
  if (code === '13' && isInstalling) {
    return new StorageError(
      `This MongoDB user may not create indexes in "${database}". Grant it readWrite there.`,
    );
  }
  if (isPassing(error)) {
    return new StorageError(
      `MongoDB at ${hosts} does not answer (${code}). Check that it runs and that database_url names it.`,
    );
  }
  return error;
}
