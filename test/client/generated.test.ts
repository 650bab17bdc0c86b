import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientFolder, generatedClient } from '../../scripts/write-client.ts';
import { administrationTable } from '../../src/client/generated/administration.ts';
import { apiKeysTable } from '../../src/client/generated/api-keys.ts';
import { table } from '../../src/client/generated/table.ts';
import { tokensTable } from '../../src/client/generated/tokens.ts';
import type { Operation } from '../../src/client/operation.ts';
import { documentOf, ownSelection } from '../../src/client/requests.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, dataEncryptionKey, startApp } from '../support/app.ts';
import { strongSettings } from '../support/strong.ts';
import { unheardWebhook } from '../support/webhooks.ts';

const root = join(import.meta.dirname, '../..');

test('src/client/generated is current (else: npm run docs)', async () => {
  const files = await generatedClient();
  expect((await readdir(clientFolder)).toSorted()).toEqual(Object.keys(files).toSorted());
  for (const [name, text] of Object.entries(files)) {
    expect(await readFile(join(clientFolder, name), 'utf8'), name).toBe(text);
  }
});

/** Returns the size of a script that imports this from the client, minified and gzipped, in bytes. */
async function sizeOf(names: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from './src/client/index.ts';`, resolveDir: root },
    ...{ bundle: true, minify: true, format: 'esm', target: 'es2022', write: false, metafile: true },
    absWorkingDir: root,
  });
  const foreign = Object.keys(metafile.inputs).filter(path => !/^(src\/client\/|<stdin>)/.test(path));
  expect(foreign).toEqual([]);
  return gzipSync(outputFiles[0]!.contents).length;
}

test('the client has at most 8 kB, minified and gzipped, its module at most 3, and both depend on nothing', async () => {
  const signsIn = await sizeOf('{ createClient, createPasskey, getPasskey, GatehouseError }');
  expect(signsIn).toBeLessThanOrEqual(8000);
  expect((await sizeOf('*')) - signsIn).toBeLessThanOrEqual(3000);
  expect(await sizeOf('{ administration }')).toBeLessThanOrEqual(3000);
});

const operations = [...table, ...administrationTable, ...tokensTable, ...apiKeysTable];

const oauth = { enableOauth: true, oauth: { googleClientId: 'client', googleClientSecret: 'secret' } };
const configurations: Record<string, ConfigInput> = {
  'with everything off': { enablePasswordReset: false, enableAccountDeletion: false },
  'by default': {},
  'with text messages': { enableSms2fa: true },
  'with authenticator apps': { enableTotp: true, dataEncryptionKey },
  'with passkeys': { enablePasskeys: true },
  'with the list of sessions': { enableSessionList: true },
  'with administration': { enableAdminRouter: true },
  'with stored messages': {
    ...{ enableAdminRouter: true, mailStore: 'database' },
    dataEncryptionKey,
  },
  'with audit records': { enableAdminRouter: true, auditStore: 'database' },
  'with providers': oauth,
  'with own fields': { userFields: { company: {}, line_2: {}, a__b: {} }, enableAdminRouter: true },
  'with own fields and roles': { userFields: { vat_number: {} }, roles: ['editor'], enableAdminRouter: true },
  'with tokens': { enableTokens: true, dataEncryptionKey },
  'with API keys': { enableApiKeys: true, enableAdminRouter: true },
  'with everything on': {
    ...strongSettings,
    enableApiKeys: true,
    enableTokens: true,
    ...oauth,
    enableSms2fa: true,
    enableAdminRouter: true,
    mailStore: 'database',
    auditStore: 'database',
    ...unheardWebhook,
  },
};

describe.each(Object.entries(configurations))('the documents of the client, %s', (_, settings) => {
  let app: App;
  let schema: GraphQLSchema;
  beforeAll(async () => {
    app = await startApp({ settings });
    schema = await app.gatehouse.graphqlSchema();
  });
  afterAll(() => app?.close());

  const has = ([name]: Operation) =>
    [schema.getQueryType()!, schema.getMutationType()!].some(type => name in type.getFields());

  test('fit the schema, for every operation that is there', () => {
    const there = operations.filter(has);
    expect(there.length).toBeGreaterThan(10);
    for (const operation of there) {
      const [query] = documentOf(operation, {}, ownSelection(settings.userFields, settings.roles));
      expect(
        validate(schema, parse(query)).map(({ message }) => message),
        query,
      ).toEqual([]);
    }
  });

  test('ask for all that every configuration has: no operation of the schema is missing', () => {
    const names = [schema.getQueryType()!, schema.getMutationType()!].flatMap(type =>
      Object.keys(type.getFields()),
    );
    const known = operations.map(([name]) => name);
    // Descriptions of the interface are for code generators.
    expect(names.filter(name => !known.includes(name))).toEqual(['errorCodes']);
  });
});
