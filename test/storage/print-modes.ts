// Prints the files of a database and their modes while it is open. Argument: the file of the database.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage } from '../../src/storage/open.ts';
import { storageOptions } from '../support/storage.ts';

const [path = ''] = process.argv.slice(2);
const storage = await openStorage(parseDatabaseUrl(`sqlite:///${path}`, 'svc'), storageOptions());
await storage.install();
await storage.ping();
const folder = dirname(path);
const modes = readdirSync(folder).map(name => {
  const mode = (statSync(join(folder, name)).mode & 0o777).toString(8);
  return [name.replace(basename(path), ''), mode];
});
console.log(JSON.stringify(Object.fromEntries(modes)));
await storage.close();
