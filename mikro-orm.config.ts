// For the MikroORM command line: `npx mikro-orm debug`, `migration:list`, `migration:pending` …
// It reads the same configuration as `svc` does, and `svc migrate` is what brings a database up to date.
import { loadConfig } from './src/config/load.ts';
import { mongodbOptions } from './src/storage/mongodb-connect.ts';
import { storageOptionsOf } from './src/storage/options.ts';
import { postgresqlOptions } from './src/storage/postgresql.ts';
import { sqliteOptions } from './src/storage/sqlite-orm.ts';

const { config } = loadConfig();
const database = config.databaseUrl.parsed();
const options = storageOptionsOf(config);

async function ormOptions() {
  switch (database.backend) {
    case 'sqlite':
      return {
        driver: (await import('@mikro-orm/sqlite')).SqliteDriver,
        ...sqliteOptions(database.path, options),
      };
    case 'postgresql':
      return {
        driver: (await import('@mikro-orm/postgresql')).PostgreSqlDriver,
        ...postgresqlOptions(database, options),
      };
    case 'mongodb':
      return {
        driver: (await import('@mikro-orm/mongodb')).MongoDriver,
        ...mongodbOptions(database, options),
      };
  }
}

export default await ormOptions();
