import type { Client } from './client.ts';

/** The description of one field in a JSON Schema. */
interface Schema {
  type?: string;
  format?: string;
}

/** Returns a value that fits; one character is never too long. */
function sampleOf({ type, format }: Schema): unknown {
  if (type === 'number') return 1;
  if (type === 'boolean') return true;
  return format === 'date' ? '2000-01-31' : 'x';
}

/**
 * Returns what a registration needs beside address and password: the own fields that the deployment requires, as its
 * OpenAPI document says; nothing for a deployment that has none.
 */
export async function requiredFields(client: Client): Promise<{ fields?: Record<string, unknown> }> {
  const { body } = await client.call('GET', '/openapi.json');
  const { content } = body?.paths?.['/register']?.post?.requestBody ?? {};
  const fields = content?.['application/json']?.schema?.properties?.fields;
  const required: string[] = fields?.required ?? [];
  if (required.length === 0) return {};
  return {
    fields: Object.fromEntries(required.map(name => [name, sampleOf(fields.properties[name] ?? {})])),
  };
}
