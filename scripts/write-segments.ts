// Writes src/config/api-segments.ts from the routes of the operations, with every feature on.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenFeature } from '../src/composition/open-feature.ts';
import { routeSpecsOf } from '../src/domain/operation.ts';
import { withEveryFeature } from './write-schema.ts';

const path = join(import.meta.dirname, '../src/config/api-segments.ts');

/** The paths that are of no operation. */
const others = ['graphql', 'openapi.json'];

const segments = await withEveryFeature(({ operations, features }) => {
  const routes = operations.flatMap(({ spec }) => routeSpecsOf(spec));
  const answers = Object.values<OpenFeature>(features).flatMap(feature => Object.keys(feature.answers ?? {}));
  const paths = [...routes.map(({ at }) => at), ...answers];
  return [...new Set([...paths.map(path => path.split('/')[1]!), ...others])].sort();
});

await writeFile(
  path,
  `// Generated from the operations by \`npm run docs\`.

/** Every possible first segment of a path of the API. */
export const apiSegments: readonly string[] = [
${segments.map(segment => `  '${segment}',\n`).join('')}];
`,
);
