import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { MikroORM as MongoORM } from '@mikro-orm/mongodb';
import { type MongodbUrl, overruledNames } from '../config/mongodb-url.ts';
import { importOptional } from '../optional.ts';
import { bindTables } from '../tables/bind.ts';
import { StorageError } from './errors.ts';
import { deadlineMs } from './guard.ts';
import type { StorageOptions } from './options.ts';
import { entitiesOf } from './orm-entities.ts';

const overruled = new Set(overruledNames.map(name => name.toLowerCase()));

/**
 * Returns the URL without the parameters that are overruled. It edits the query as text, because `mongodb://a,b/` is not a
 * valid URL of the URL standard.
 */
export function withoutOverruled(url: string): string {
  const [base, query = ''] = url.split('?', 2) as [string, string?];
  const kept = query.split('&').filter(pair => pair && !overruled.has(pair.split('=')[0]!.toLowerCase()));
  return kept.length ? `${base}?${kept.join('&')}` : base;
}

/** Connections of one process to each server, unless the configuration sets another number. */
const defaultPoolSize = 20;

/**
 * Server selection timeout in milliseconds: shorter than the deadline of a call, so that the driver's error, which says
 * why no server was found, comes before the deadline's, which does not.
 */
const selectionMs = deadlineMs - 250;

/** Returns the options of the ORM on MongoDB, for the application and for the ORM's own command line. */
export function mongodbOptions(
  { url, database, appName, maxPoolSize }: MongodbUrl,
  { names, poolSize = maxPoolSize ?? defaultPoolSize }: StorageOptions,
  tables = bindTables(names, 'mongodb'),
) {
  return {
    entities: entitiesOf(tables),
    clientUrl: withoutOverruled(url),
    dbName: database,
    namingStrategy: UnderscoreNamingStrategy,
    pool: { max: poolSize },
    ensureIndexes: false,
    // The instance writes what matters to its own log, without the data that the ORM would print.
    logger: () => {},
    implicitTransactions: false,
    driverOptions: {
      appName: appName ?? 'gatehouse',
      timeoutMS: deadlineMs,
      serverSelectionTimeoutMS: selectionMs,
      connectTimeoutMS: deadlineMs,
      writeConcern: { w: 'majority' as const, journal: true },
      readPreference: 'primary' as const,
    },
  };
}

/**
 * Returns the ORM on MongoDB; it connects at the first use.
 * @throws {MissingPackageError} when the package of the driver is not installed
 * @throws {StorageError} when the driver rejects the URL
 */
export async function openOrm(...options: Parameters<typeof mongodbOptions>): Promise<MongoORM> {
  const { MikroORM } = await importOptional(
    '@mikro-orm/mongodb',
    'MongoDB',
    () => import('@mikro-orm/mongodb'),
  );
  const orm = new MikroORM(mongodbOptions(...options));
  keepCauses(orm);
  assertUsable(orm);
  return orm;
}

/**
 * Makes the driver parse the URL, which it does before it connects.
 * @throws {StorageError} that names the option that the driver rejects
 */
function assertUsable(orm: MongoORM): void {
  try {
    orm.em.getConnection().getClient();
  } catch (error) {
    const { message } = error as Error;
    // A driver message about the whole connection string quotes it, password included.
    const isSafe = !/connection string|:\/\//i.test(message);
    throw new StorageError(
      `The MongoDB driver can't use database_url${isSafe ? `: ${message.replace(/\.?$/, '.')}` : '. Check its form and its options.'}`,
    );
  }
}

/**
 * Sets the driver's error as the cause of the ORM's exceptions, which lose its class; the class is what identifies an
 * outage.
 */
function keepCauses(orm: MongoORM): void {
  const converter = orm.driver.getPlatform().getExceptionConverter();
  const convert = converter.convertException.bind(converter);
  converter.convertException = error => Object.assign(convert(error), { cause: error });
}
