// Writes src/words/messages.ts: each message with the types of its values; and the scripts that pages load, which docs describe.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePagesScripts } from './pages-scripts.ts';
import { messagesModule, writeWords } from './words.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'src/words/messages.ts');

writeFileSync(path, messagesModule());
spawnSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', path], { cwd: root });
writeWords();
await writePagesScripts();
