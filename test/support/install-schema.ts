// Installs the schema in a process of its own: says `ready`, waits for its input to end, and then does so at once.
// Argument: the URL of the database.
import { once } from 'node:events';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { openStorage } from '../../src/storage/open.ts';
import { storageOptions } from './storage.ts';

const [url = ''] = process.argv.slice(2);
const storage = await openStorage(parseDatabaseUrl(url, 'svc'), storageOptions());
console.log('ready');
await once(process.stdin.resume(), 'end');
try {
  await storage.install();
} finally {
  await storage.close();
}
