#!/usr/bin/env node
// Nothing else is imported before the version is checked: an older Node would fail in the middle of a dependency.
import { unfitNode } from '../../../src/node-version.ts';

if (unfitNode !== null) {
  console.error(`create-gatehouse-auth ${unfitNode}`);
  process.exit(1);
}
const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));
