import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, GraphQLEnumType } from 'graphql';
import { expect, test } from 'vitest';
import { currentSchema, withEveryFeature } from '../scripts/write-schema.ts';
import { detailOf, errorCodeNames } from '../src/errors.ts';

const path = join(import.meta.dirname, '../schema.graphql');

test('schema.graphql is the schema of today with every feature on', async () => {
  const stored = await readFile(path, 'utf8');
  expect(stored, 'schema.graphql is stale: run `npm run docs`').toBe(await currentSchema());
});

test('the schema lists every error code, with what it means', async () => {
  const type = buildSchema(await readFile(path, 'utf8')).getType('ErrorCode') as GraphQLEnumType;
  expect(type).toBeInstanceOf(GraphQLEnumType);
  const listed = type.getValues().map(({ name, description }) => [name, description]);
  const known = errorCodeNames.map(code => [code, detailOf(code)]);
  expect(listed.toSorted()).toEqual(known.toSorted());
});

test('a user has the fields of administration only while it is on', async () => {
  const sdl = (given: object) => withEveryFeature(({ graphqlSdl }) => graphqlSdl(), given);
  expect(await sdl({})).toContain('reportedAt');
  expect(await sdl({ enableAdminRouter: false })).not.toContain('reportedAt');
});
