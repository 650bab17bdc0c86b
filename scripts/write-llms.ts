// Writes llms.txt, the index of the documents in the package for programs that read them: https://llmstxt.org.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from './docs/llms.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

writeFileSync(join(root, 'llms.txt'), format(globSync('docs/*.md', { cwd: root }).toSorted(), read));
