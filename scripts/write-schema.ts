// Writes schema.graphql, the GraphQL schema with every feature on, and the further forms of it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../src/config/load.ts';
import type { ConfigInput } from '../src/config/schema.ts';
import { everyFeature } from '../src/feature-parts.ts';
import { type Assembled, assemble } from '../src/gatehouse.ts';
import { printGraphQLSchema } from '../src/graphql/print.ts';
import { shippedTags } from '../src/words/tags.ts';

const path = join(import.meta.dirname, '../schema.graphql');
const silent = () => {};

/**
 * Calls `work` with an instance that has every feature on, and what is given. Configuration files and the environment do
 * not affect it.
 */
export async function withEveryFeature<T>(
  work: (gatehouse: Assembled) => T | Promise<T>,
  given: ConfigInput = {},
): Promise<T> {
  const { config } = loadConfig({
    arguments: {
      databaseUrl: 'sqlite:///:memory:',
      jwtSecret: 'signs nothing, as nobody ever signs in here',
      enableAdminRouter: true,
      enableUiRouter: true,
      ...{ enableSms2fa: true, enableSessionList: true },
      ...{ emailChangeNeedsAccount: true, replaceSessionAtSignIn: true },
      ...{ recentSignInForAccount: true, recentSignInForSessions: true },
      locales: shippedTags(),
      mailStore: 'database',
      ...Object.assign({}, ...everyFeature.map(({ sample }) => sample)),
      dataEncryptionKey: 'encrypts_nothing_as_nobody_signs_up_here_ok',
      enableOauth: true,
      oauth: { googleClientId: 'client', googleClientSecret: 'secret', requireCodeChallenge: true },
      ...given,
    },
    env: {},
    cwd: import.meta.dirname,
  });
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const gatehouse = await assemble(config, { logger });
  try {
    return await work(gatehouse);
  } finally {
    await gatehouse.close();
  }
}

/** Returns the schema that `schema.graphql` must hold. */
export const currentSchema = (): Promise<string> =>
  withEveryFeature(async gatehouse => printGraphQLSchema(await gatehouse.graphqlSchema()));

/** Returns the further forms of it, by the names of their files. */
export const currentForms = (): Promise<Map<string, string>> =>
  withEveryFeature(async gatehouse => {
    const schema = await gatehouse.graphqlSchema();
    const texts = new Map<string, string>();
    for (const { schemaForm } of everyFeature) {
      if (schemaForm)
        texts.set(`schema.${schemaForm.option}.graphql`, (await schemaForm.load()).print(schema));
    }
    return texts;
  });

if (import.meta.main) {
  await writeFile(path, await currentSchema());
  for (const [name, text] of await currentForms()) await writeFile(join(path, '..', name), text);
}
