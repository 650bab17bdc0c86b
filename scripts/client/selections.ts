// The GraphQL selections of the client, from the output schemas of the operations.
import type { z } from 'zod';
import { camelCase } from '../../src/graphql/names.ts';
import { listedOf, typeName } from '../../src/graphql/outputs.ts';
import { choicesOf, fieldsOf, itemOf, shapeOf } from '../../src/zod-shape.ts';

/** Returns every field of an output, without the braces around it; empty for a scalar. */
export function selectionOf(schema: z.core.$ZodType): string {
  const listed = listedOf(schema);
  if (listed) return selectionOf(listed);
  const fields = fieldsOf(schema);
  if (fields) return joined(Object.entries(fields).map(([name, field]) => camelCase(name) + braced(field)));
  const item = itemOf(schema);
  if (item) return selectionOf(item);
  const { type } = shapeOf(schema);
  if (type !== 'union') return '';
  return choicesOf(schema)
    .map(choice => `...on ${typeName(choice)}${braced(choice)}`)
    .join('');
}

function braced(schema: z.core.$ZodType): string {
  const inner = selectionOf(schema);
  return inner && `{${inner}}`;
}

/** No space is needed behind a brace. */
const joined = (fields: string[]) => fields.join(' ').replaceAll('} ', '}');
