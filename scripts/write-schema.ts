// Writes schema.graphql: the GraphQL schema with every feature on.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../src/config/load.ts';
import { assemble } from '../src/gatehouse.ts';
import { printGraphQLSchema } from '../src/graphql/print.ts';

const path = join(import.meta.dirname, '../schema.graphql');
const silent = () => {};

/** The schema as `schema.graphql` must hold it. Files and the environment of whoever calls don't reach it. */
export async function currentSchema(): Promise<string> {
  const { config } = loadConfig({
    arguments: {
      databaseUrl: 'sqlite+aiosqlite:///:memory:',
      jwtSecret: 'signs nothing, as nobody ever signs in here',
      enableAdminRouter: true,
      enableUiRouter: true,
      enableSms2fa: true,
      enableOauth: true,
      oauth: { googleClientId: 'client', googleClientSecret: 'secret' },
    },
    env: {},
    cwd: import.meta.dirname,
  });
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const gatehouse = await assemble(config, { logger });
  try {
    return printGraphQLSchema(await gatehouse.graphqlSchema());
  } finally {
    await gatehouse.close();
  }
}

if (import.meta.main) await writeFile(path, await currentSchema());
