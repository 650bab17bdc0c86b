import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leftOut } from '../../scripts/client/operations.ts';
import { pack } from '../../scripts/client/pack.ts';
import { clientFolder, generatedClient } from '../../scripts/write-client.ts';
import type { Operation } from '../../src/client/operation.ts';
import { operations } from '../../src/client/operation.ts';
import { documentOf, ownSelection } from '../../src/client/requests.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type App, startApp } from '../support/app.ts';
import { strongSettings } from '../support/factors.ts';
import { unheardWebhook } from '../support/webhooks.ts';

const root = join(import.meta.dirname, '../..');

test('src/client/generated is current (else: npm run docs)', async () => {
  const files = await generatedClient();
  expect((await readdir(clientFolder)).toSorted()).toEqual(Object.keys(files).toSorted());
  for (const [name, text] of Object.entries(files)) {
    expect(await readFile(join(clientFolder, name), 'utf8'), name).toBe(text);
  }
});

test('the client has at most 8 kB, minified and gzipped, and depends on nothing', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, 'src/client/index.ts')],
    ...{ bundle: true, minify: true, format: 'esm', target: 'es2022', write: false, metafile: true },
    absWorkingDir: root,
  });
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(8000);
  expect(Object.keys(metafile.inputs).filter(path => !path.startsWith('src/client/'))).toEqual([]);
});

describe('packing', () => {
  const unpack = ({ text, words }: ReturnType<typeof pack>) =>
    words.split('$').reduce((whole, word) => whole.replaceAll(word.charAt(0), word.slice(1)), text);

  test.each([
    ['what repeats itself', 'adminDeleteUser message\nadminDisableUser message\nadminUser message'],
    ['what is full of symbols', '!!#%#%&()()*+,;<=>@[]^|~ !!#%#%&()()*+,;<=>@[]^|~ 0123456789'],
    ['what does not repeat itself', 'abcdefg'],
  ])('loses nothing of %s', (_, text) => {
    expect(unpack(pack(text))).toBe(text);
  });
});

const oauth = { enableOauth: true, oauth: { googleClientId: 'client', googleClientSecret: 'secret' } };
const configurations: Record<string, ConfigInput> = {
  'with everything off': { enablePasswordReset: false, enableAccountDeletion: false },
  'by default': {},
  'with text messages': { enableSms2fa: true },
  'with authenticator apps': { enableTotp: true, dataEncryptionKey: strongSettings.dataEncryptionKey },
  'with passkeys': { enablePasskeys: true },
  'with the list of sessions': { enableSessionList: true },
  'with administration': { enableAdminRouter: true },
  'with stored messages': {
    ...{ enableAdminRouter: true, mailStore: 'database' },
    dataEncryptionKey: strongSettings.dataEncryptionKey,
  },
  'with audit records': { enableAdminRouter: true, auditStore: 'database' },
  'with providers': oauth,
  'with own fields': { userFields: { company: {}, line_2: {}, a__b: {} }, enableAdminRouter: true },
  'with own fields and roles': { userFields: { vat_number: {} }, roles: ['editor'], enableAdminRouter: true },
  'with everything on': {
    ...strongSettings,
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
    expect(names.filter(name => !known.includes(name) && !leftOut.includes(name))).toEqual([]);
  });
});
