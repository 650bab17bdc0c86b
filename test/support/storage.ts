import { nameWithSuffix } from '../../src/config/storage-names.ts';
import type { StorageOptions } from '../../src/storage/options.ts';
import { forEachTable, type TableNames } from '../../src/tables/index.ts';

/** Storage options as the defaults of the configuration have them, with other names where a test wants some. */
export function storageOptions(names: Partial<TableNames> = {}): StorageOptions {
  return {
    names: {
      ...forEachTable(({ usualName }) => usualName),
      ...names,
    },
    migrations: nameWithSuffix(names.users ?? 'users', '_migrations'),
    attemptLifetimeSeconds: 900,
    identityIssuers: { google: 'https://accounts.google.com' },
    pendingLifetimeSeconds: 86_400,
  };
}
