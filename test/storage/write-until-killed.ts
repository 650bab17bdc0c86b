// Writes users to a database until it is killed, and prints the number of each once it is stored. Argument: the file.
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { consoleLogger } from '../../src/logger.ts';
import { openStorage } from '../../src/storage/open.ts';
import { storageOptions } from '../support/storage.ts';
import { user } from './records.ts';

const [path = ''] = process.argv.slice(2);
const storage = await openStorage(parseDatabaseUrl(`sqlite:///${path}`, 'svc'), {
  ...storageOptions(),
  warnOfServer: consoleLogger.warn,
});
await storage.install();
for (let i = 0; ; i++) {
  await storage.repositories.users.add(
    user({ id: `${process.pid}-${i}`, email: `${process.pid}-${i}@x.org` }),
  );
  // Storing lets the event loop not turn, so that a pipe that is full once would never be written to again.
  await new Promise(resolve => process.stdout.write(`${process.pid}-${i}\n`, resolve));
}
