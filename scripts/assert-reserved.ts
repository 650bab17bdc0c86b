// Runs before `npm publish`: it fails until a file says that the name on npm belongs to this project. Names that
// belong to others would have people run a stranger's program. The package is that of the working directory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
const file = 'scripts/reserved-name.txt';

function readLines(): string[] {
  try {
    return readFileSync(join(root, file), 'utf8').split('\n');
  } catch {
    return [];
  }
}

if (!readLines().some(line => line.startsWith(`${name} is reserved for this project on npm`))) {
  console.error(
    `Not published: nothing says that the npm name ${name} belongs to this project. Reserve it, and write "${name} is reserved for this project on npm, by ACCOUNT, on DATE" into ${file}.`,
  );
  process.exit(1);
}
