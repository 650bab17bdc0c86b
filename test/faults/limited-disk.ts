// Prints whether an instance is ready, before and after the files of its database have reached the size that this process
// may write. Argument: the file of the database.
import { createGatehouse } from '../../src/index.ts';
import { withSqlite } from '../support/admin.ts';
import { jwtSecret } from '../support/app.ts';

const [file = ''] = process.argv.slice(2);
const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Installs the schema where it is missing, and prints the state of an instance that has written nothing else. */
async function printReadiness(): Promise<void> {
  const gatehouse = await createGatehouse({
    ...{ jwtSecret, databaseUrl: `sqlite+aiosqlite:///${file}`, logger },
  });
  if ((await gatehouse.schemaState()) === 'behind') await gatehouse.installSchema();
  const { isReady, database } = await gatehouse.readiness();
  console.log(`${isReady} ${database}`);
  await gatehouse.close();
}

await printReadiness();
await withSqlite(file, reader =>
  withSqlite(file, async writer => {
    // As long as somebody reads an older state, the write-ahead log grows.
    reader.exec('begin');
    reader.prepare('select count(*) from users').get();
    for (const size of [100_000, 100]) {
      try {
        for (;;) writer.exec(`insert into token_blacklist (jti, exp) values (hex(randomblob(${size})), 0)`);
      } catch {
        // No room is left for a row of this size.
      }
    }
    await printReadiness();
  }),
);
