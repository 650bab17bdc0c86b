import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { withEveryFeature } from '../scripts/write-schema.ts';

/** Own fields and roles are part of the documents, too. */
const given = { userFields: { company: { label: 'Company' } }, roles: ['editor'] };

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
}

interface Described {
  summary?: string;
  description?: string;
  parameters?: { name: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string }>;
}

/** Returns the places within a schema that have no description, by their dotted paths. */
function undescribedIn(schema: Schema, at: string): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    ...(inner.description || inner.$ref ? [] : [`${at}.${name}`]),
    ...undescribedIn(inner, `${at}.${name}`),
  ]);
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return [...own, ...inner.flatMap(each => undescribedIn(each, at))];
}

test('OpenAPI describes every operation, parameter, property, response and schema', async () => {
  const url = 'http://localhost:8000/api/auth/openapi.json';
  const document = await withEveryFeature(async ({ fetch }) => (await fetch(new Request(url))).json(), given);
  const { paths, components } = document as {
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, Schema> };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, ...operation })),
  );
  expect(operations.length).toBeGreaterThan(60);
  const missing = [
    ...operations.flatMap(({ at, summary, description, parameters = [], requestBody, responses }) => [
      ...(summary && description ? [] : [at]),
      ...parameters.filter(each => !each.description).map(({ name }) => `${at} ${name}`),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => undescribedIn(schema, at)),
      ...Object.entries(responses)
        .filter(([, response]) => !response.description)
        .map(([status]) => `${at} ${status}`),
    ]),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      ...(schema.description ? [] : [name]),
      ...undescribedIn(schema, name),
    ]),
  ];
  expect(missing).toEqual([]);
});

const argumentsOf = (
  field: GraphQLField<unknown, unknown> | GraphQLInputField,
): readonly GraphQLArgument[] => ('args' in field ? field.args : []);

/** Returns a type, its fields, their arguments and its values: those without a description, by their names. */
function undescribedOf(type: GraphQLNamedType): string[] {
  const fields =
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
      ? Object.values(type.getFields())
      : [];
  const values = isEnumType(type) ? type.getValues() : [];
  const parts: { name: string; description?: string | null | undefined }[] = [
    { name: type.name, description: type.description },
    ...[...fields, ...values].map(({ name, description }) => ({ name: `${type.name}.${name}`, description })),
    ...fields.flatMap(field =>
      argumentsOf(field).map(({ name, description }) => ({
        name: `${type.name}.${field.name}(${name})`,
        description,
      })),
    ),
  ];
  return parts.filter(({ description }) => !description).map(({ name }) => name);
}

test('GraphQL describes every type, field, argument and value', async () => {
  const types = await withEveryFeature(
    async ({ graphqlSchema }) => Object.values((await graphqlSchema()).getTypeMap()),
    given,
  );
  const own = types.filter(({ name }) => !name.startsWith('__'));
  expect(own.length).toBeGreaterThan(100);
  expect(own.flatMap(undescribedOf)).toEqual([]);
});
