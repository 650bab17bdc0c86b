import { expect, test } from 'vitest';
import { withoutOverruled } from '../../src/storage/mongodb-connect.ts';

// CONTRACT §4.5: what was acknowledged is durable and read from the primary, whatever the URL says.
test.each([
  ['mongodb://h/db?w=1&journal=false', 'mongodb://h/db'],
  ['mongodb://h/db?readPreference=secondary&replicaSet=r', 'mongodb://h/db?replicaSet=r'],
  [
    'mongodb+srv://u:p@h/?retryWrites=true&W=0&readConcernLevel=local',
    'mongodb+srv://u:p@h/?retryWrites=true',
  ],
  ['mongodb://a:1,b:2/db?timeoutMS=0&socketTimeoutMS=0&tls=true', 'mongodb://a:1,b:2/db?tls=true'],
  ['mongodb://h/db?authSource=admin', 'mongodb://h/db?authSource=admin'],
  ['mongodb://h/db', 'mongodb://h/db'],
])('%s is used as %s', (url, used) => {
  expect(withoutOverruled(url)).toBe(used);
});
