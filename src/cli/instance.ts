import type { Assembled } from '../gatehouse.ts';
import { CommandError } from './errors.ts';
import { type FileOptions, loadSettings } from './settings.ts';

/** Runs one piece of work with an instance made from the configuration, and lets go of the database whatever happens. */
export async function withGatehouse(
  options: FileOptions,
  work: (gatehouse: Assembled) => Promise<void>,
): Promise<void> {
  const { config } = await loadSettings(options);
  const { assemble } = await import('../gatehouse.ts');
  const { createCommandLog } = await import('./log.ts');
  const gatehouse = await assemble(config, { logger: createCommandLog() });
  try {
    await work(gatehouse);
  } finally {
    await gatehouse.close();
  }
}

/** As `withGatehouse`, for work that needs its tables. @throws {CommandError} naming `svc migrate` when they are not there */
export function withMigrated(
  options: FileOptions,
  work: (gatehouse: Assembled) => Promise<void>,
): Promise<void> {
  return withGatehouse(options, async gatehouse => {
    const state = await gatehouse.schemaState();
    if (state === 'behind')
      throw new CommandError('The database is not at the schema of this version: run svc migrate.');
    if (state === 'ahead')
      throw new CommandError('The database was migrated by a newer version: run that one.');
    await work(gatehouse);
  });
}
