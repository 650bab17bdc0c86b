import { z } from 'zod';
import { namedSchemas } from '../zod-shape.ts';

export type Json = { [key: string]: unknown };

/** Whether a schema describes what is sent or what is received. */
type Direction = 'input' | 'output';

/**
 * Returns the JSON Schemas (draft 2020-12) of these schemas under their keys, and named schemas as components that the
 * others refer to.
 */
export function toJsonSchemas(
  schemas: Record<string, z.ZodType>,
  io: Direction,
): { schemas: Record<string, Json>; components: Record<string, Json> } {
  const registry = z.registry<{ id: string }>();
  const named = new Map(Object.values(schemas).flatMap(schema => [...namedSchemas(schema)]));
  for (const [id, schema] of named) registry.add(schema, { id });
  for (const [key, schema] of Object.entries(schemas)) {
    // A named schema is also referred to at the top level.
    registry.add(z.object({ it: schema }), { id: keyed(key) });
  }
  const converted = z.toJSONSchema(registry, {
    io,
    uri: id => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    override: tidy,
  }).schemas as Record<string, Json>;
  return {
    schemas: Object.fromEntries(
      Object.keys(schemas).map(key => [
        key,
        describedAtTop((converted[keyed(key)]!.properties as { it: Json }).it),
      ]),
    ),
    components: Object.fromEntries(
      [...named.keys()].map(id => [id, describedAtTop(withoutAddress(converted[id]!))]),
    ),
  };
}

/** No component has such a name. */
const keyed = (key: string) => `it:${key}`;

function withoutAddress({ $id, $schema, ...schema }: Json): Json {
  return schema;
}

/**
 * Removes what only GraphQL reads, the pattern of a date (its format is enough), and number bounds that are those of the
 * language itself.
 */
function tidy({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.id;
  delete jsonSchema.graphql;
  delete jsonSchema.scalar;
  delete jsonSchema.values;
}

/** Returns a schema in which a value that may be null has the description of the value. */
function describedAtTop(schema: Json): Json {
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map(eachIn) : eachIn(value),
    ]),
  );
  const options = copy.anyOf as Json[] | undefined;
  const [described, ...others] = options?.filter(({ type }) => type !== 'null') ?? [];
  if (!described?.description || others.length > 0) return copy;
  const { description, ...value } = described;
  return { description, ...copy, anyOf: [value, { type: 'null' }] };
}

const eachIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? describedAtTop(value as Json)
    : value;
