import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

// A configuration that a developer has made here, by `npm start` for one, is not that of the tests.
const folder = join(inject('temporaryFolder'), 'empty');
mkdirSync(folder, { recursive: true });
process.chdir(folder);
for (const name of Object.keys(process.env)) if (name.startsWith('SVC_')) delete process.env[name];
