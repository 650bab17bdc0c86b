import { MikroORM as MongoOrm } from '@mikro-orm/mongodb';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';

type MongoClient = ReturnType<ReturnType<MongoOrm['em']['getConnection']>['getClient']>;

const withoutEntities = { entities: [], discovery: { warnWhenNoEntities: false } };

/** Runs one statement outside any transaction and gives its rows. */
export async function executeOnPostgres(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const orm = await PostgresOrm.init({ ...withoutEntities, clientUrl: url });
  try {
    return await orm.em.getConnection().execute(statement);
  } finally {
    await orm.close(true);
  }
}

/** Lends a client of its own to `work`. */
export async function withMongo<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const orm = await MongoOrm.init({ ...withoutEntities, clientUrl: url, dbName: 'admin' });
  try {
    return await work(orm.em.getConnection().getClient());
  } finally {
    await orm.close(true);
  }
}
