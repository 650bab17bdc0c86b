import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createGatehouse } from '../../../src/gatehouse.ts';
import { problemOf } from '../../config/support.ts';
import { sha256 } from './manifests.ts';

// A manifest that cannot be used stops the start, in one clear line.

const text = '{ me { id } }';

function fileOf(content: string): string {
  const path = join(mkdtempSync(join(inject('temporaryFolder'), 'manifest-')), 'documents.json');
  writeFileSync(path, content);
  return path;
}

test.each([
  ['that is not there', undefined, 'names a file that does not exist'],
  ['that is no JSON', '{', 'which is not a JSON object of documents by their SHA-256'],
  ['that is a list', '[]', 'which is not a JSON object of documents by their SHA-256'],
  ['of something else than texts', `{"${sha256(text)}": {}}`, 'is not the text of a document'],
  ['by other hashes', `{"${sha256(text).slice(24)}": "${text}"}`, 'is not a SHA-256 in hex'],
  ['with a hash of another text', `{"${sha256('other')}": "${text}"}`, 'is not the SHA-256 of its document'],
])('a file %s', (_, content, message) => {
  const path = content === undefined ? '/nowhere/documents.json' : fileOf(content);
  const problem = problemOf({ toml: `graphql_trusted_documents = ${JSON.stringify(path)}` });
  expect(problem).toMatch(/^svc\.toml: graphql_trusted_documents: /);
  expect(problem).toContain(path);
  expect(problem).toContain(message);
});

const settings = {
  databaseUrl: 'sqlite+aiosqlite:///:memory:',
  jwtSecret: 'a signing secret for the tests of manifests',
};

test.each([
  ['does not parse', '{ me {', /Syntax Error/],
  ['does not fit the schema', '{ me { nobody } }', /Cannot query field "nobody" on type "User"/],
  ['asks for a feature that is off', '{ sessions { items { id } } }', /Cannot query field "sessions"/],
  [
    'is too deep',
    `{ __type(name: "User") ${'{ ofType '.repeat(16)} { name } ${'}'.repeat(16)} }`,
    /levels deep/,
  ],
])('a document that %s is named at the start', async (_, document, message) => {
  const path = fileOf(JSON.stringify({ [sha256(document)]: document, [sha256(text)]: text }));
  const start = createGatehouse({ ...settings, graphqlTrustedDocuments: path });
  await expect(start).rejects.toThrow(message);
  await expect(start).rejects.toMatchObject({
    name: 'ConfigError',
    problems: [{ source: path, key: sha256(document) }],
  });
});

test('a manifest in order starts, also without a document', async () => {
  for (const content of ['{}', JSON.stringify({ [sha256(text).toUpperCase()]: text })]) {
    const gatehouse = await createGatehouse({ ...settings, graphqlTrustedDocuments: fileOf(content) });
    await gatehouse.close();
  }
});
