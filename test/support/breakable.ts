import { isMissing } from './needed.ts';
import type { ServerName } from './projects.ts';
import { fewOf } from './repetitions.ts';
import { type ServerHandle, startMongo, startPostgres } from './servers.ts';

/** A kind of database server that a test starts for itself, because it ends it or makes it hang. */
export interface Breakable {
  name: ServerName;
  isMissing: boolean;
  start(): Promise<ServerHandle>;
  /** Returns the setting `database_url` for a server. */
  databaseUrlOf(server: ServerHandle): string;
}

const postgres: Breakable = {
  name: 'postgresql',
  isMissing: isMissing('postgresql'),
  start: startPostgres,
  databaseUrlOf: ({ url }) => url.replace(':', '+asyncpg:'),
};
const alone: Breakable = {
  name: 'mongodb',
  isMissing: isMissing('mongodb'),
  start: startMongo,
  databaseUrlOf: ({ url }) => `${url}svc`,
};
const replicaSet: Breakable = {
  name: 'mongodb-replica',
  isMissing: isMissing('mongodb-replica'),
  start: () => startMongo({ replicaSet: true }),
  databaseUrlOf: ({ url }) => url.replace('/?', '/svc?'),
};

/** The kinds that are broken: of MongoDB a replica set, as it should be run, and in `npm run test:all` a server alone, too. */
export const breakables = fewOf([postgres, alone, replicaSet], postgres, replicaSet);
