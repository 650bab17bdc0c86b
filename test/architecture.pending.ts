import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Pending: `storage/optional.ts` serves storage, limits, sms and oauth alike, so it belongs beside them, directly under
// src. Then the two exceptions in architecture.test.ts go, and this file with them.

test.each(['sms', 'oauth'])('the layer %s imports nothing of storage', layer => {
  const folder = join(import.meta.dirname, '../src', layer);
  const importing = globSync('**/*.ts', { cwd: folder }).filter(path =>
    /from '\.\.\/storage\//.test(readFileSync(join(folder, path), 'utf8')),
  );
  expect(importing).toEqual([]);
});
