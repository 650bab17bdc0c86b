// Writes src/words/messages.ts: each message with the types of its values.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messagesModule, writeWords } from './words.ts';

writeFileSync(join(import.meta.dirname, '../src/words/messages.ts'), messagesModule());
writeWords();
