import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentSchema } from '../scripts/write-schema.ts';

test('schema.graphql is the schema of today with every feature on', async () => {
  const stored = await readFile(join(import.meta.dirname, '../schema.graphql'), 'utf8');
  expect(stored, 'schema.graphql is stale: run `npm run docs`').toBe(await currentSchema());
});
