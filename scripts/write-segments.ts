// Writes src/config/api-segments.ts from the routes of the operations, with every feature on.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { routeSpecsOf } from '../src/domain/operation.ts';
import { withEveryFeature } from './write-schema.ts';

const path = join(import.meta.dirname, '../src/config/api-segments.ts');

/** The paths that are of no operation. */
const others = ['graphql', 'openapi.json'];

const segments = await withEveryFeature(({ operations }) => {
  const routes = operations.flatMap(({ spec }) => routeSpecsOf(spec));
  return [...new Set([...routes.map(({ at }) => at.split('/')[1]!), ...others])].sort();
});

await writeFile(
  path,
  `// Generated from the operations by \`npm run docs\`.

/** Every possible first segment of a path of the API. */
export const apiSegments: readonly string[] = [
${segments.map(segment => `  '${segment}',\n`).join('')}];
`,
);
