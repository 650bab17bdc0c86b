import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  buildSchema,
  GraphQLEnumType,
  GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
} from 'graphql';
import { expect, test } from 'vitest';
import { currentForms, currentSchema, withEveryFeature } from '../scripts/write-schema.ts';
import { detailOf, errorCodeNames } from '../src/errors.ts';

const path = join(import.meta.dirname, '../schema.graphql');

test('schema.graphql is the schema of today with every feature on', async () => {
  const stored = await readFile(path, 'utf8');
  expect(stored, 'schema.graphql is stale: run `npm run docs`').toBe(await currentSchema());
});

test('so are the further forms of it, each in a file of its own', async () => {
  for (const [name, text] of await currentForms()) {
    const stored = await readFile(join(path, '..', name), 'utf8');
    expect(stored, `${name} is stale: run \`npm run docs\``).toBe(text);
  }
});

test('the schema lists every error code, with what it means', async () => {
  const type = buildSchema(await readFile(path, 'utf8')).getType('ErrorCode') as GraphQLEnumType;
  expect(type).toBeInstanceOf(GraphQLEnumType);
  const listed = type.getValues().map(({ name, description }) => [name, description]);
  const known = errorCodeNames.map(code => [code, detailOf(code)]);
  expect(listed.toSorted()).toEqual(known.toSorted());
});

test('the words of an answer are enums, so that a client notices one that it does not handle', async () => {
  const schema = buildSchema(await readFile(path, 'utf8'));
  const typeOf = (type: string, field: string) =>
    String((schema.getType(type) as GraphQLObjectType).getFields()[field]!.type);
  expect(typeOf('MfaChallenge', 'methods')).toBe('[MfaMethod!]!');
  expect(typeOf('MfaChallenge', 'delivery')).toBe('MfaDelivery!');
  expect(typeOf('MfaChallenge', 'status')).toBe('MfaChallengeStatus!');
  expect(typeOf('PendingRegistration', 'status')).toBe('RegistrationStatus!');
  expect(typeOf('Authenticator', 'kind')).toBe('AuthenticatorKind!');
  expect(typeOf('OAuthProvider', 'kind')).toBe('OAuthProviderKind!');
  // Code generators write only types that a field leads to.
  expect(typeOf('Query', 'errorCodes')).toBe('[ErrorCode!]!');
  // Inputs take any text, and say what is wrong with it as REST does.
  const inputs = Object.values(schema.getTypeMap()).filter(type => type instanceof GraphQLInputObjectType);
  for (const input of inputs)
    for (const { name, type } of Object.values(input.getFields()))
      expect(getNamedType(type), `${input.name}.${name}`).not.toBeInstanceOf(GraphQLEnumType);
});

test('a user has the fields of administration only while it is on', async () => {
  const sdl = (given: object) => withEveryFeature(({ graphqlSdl }) => graphqlSdl(), given);
  expect(await sdl({})).toContain('reportedAt');
  expect(await sdl({ enableAdminRouter: false })).not.toContain('reportedAt');
});
