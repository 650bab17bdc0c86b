import type { Assembled } from '../gatehouse.ts';
import { CommandError } from './errors.ts';
import { osUser } from './os-user.ts';
import { type FileOptions, loadSettings } from './settings.ts';

interface InstanceOptions {
  /** Whether the console backend prints its emails: only commands whose purpose is to send one do. */
  showMails?: boolean;
  /** Whether it works with tables that are there: it makes no file of SQLite. */
  needsTables?: boolean;
}

/** Runs one piece of work with an instance made from the configuration, and closes the database whatever happens. */
export async function withGatehouse(
  options: FileOptions,
  work: (gatehouse: Assembled) => Promise<void>,
  { showMails = false, needsTables = false }: InstanceOptions = {},
): Promise<void> {
  const { config } = await loadSettings(options);
  const { missingFile } = await import('../storage/missing-file.ts');
  const missing = needsTables ? missingFile(config.databaseUrl.parsed()) : null;
  if (missing !== null) throw new CommandError(missing);
  const { assemble } = await import('../gatehouse.ts');
  const { createCommandLog } = await import('./log.ts');
  const write = showMails ? (text: string) => void process.stdout.write(text) : undefined;
  const logger = createCommandLog();
  const gatehouse = await assemble(config, { logger, write, sendsOwnOnly: true, osUser: osUser() });
  try {
    await work(gatehouse);
  } finally {
    await gatehouse.close();
  }
}

/**
 * Like `withGatehouse`, for work that needs the tables. @throws {CommandError} naming `svc migrate` when they are missing
 */
export function withMigrated(
  options: FileOptions,
  work: (gatehouse: Assembled) => Promise<void>,
  instance: InstanceOptions = {},
): Promise<void> {
  async function checked(gatehouse: Assembled): Promise<void> {
    const state = await gatehouse.schemaState();
    if (state === 'behind')
      throw new CommandError(
        'The database schema is not installed, or is older than this version: run svc migrate.',
      );
    if (state === 'ahead')
      throw new CommandError('The database was migrated by a newer version: run that version.');
    await work(gatehouse).catch(async error => {
      throw await withDifference(gatehouse, error);
    });
  }
  return withGatehouse(options, checked, { ...instance, needsTables: true });
}

/**
 * Returns a function that is `withMigrated` for work with a part that some configurations switch on. It throws a `CommandError`
 * with the text `whenOff` where there is no such part.
 */
export const withPart =
  <Part>(partOf: (gatehouse: Assembled) => Part | undefined, whenOff: string) =>
  (options: FileOptions, work: (part: Part, gatehouse: Assembled) => Promise<void>): Promise<void> =>
    withMigrated(options, async gatehouse => {
      const part = partOf(gatehouse);
      if (part === undefined) throw new CommandError(whenOff);
      await work(part, gatehouse);
    });

/** Returns an error that names what the tables lack, where the database refused a statement and gave only its code. */
async function withDifference(gatehouse: Assembled, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || error.name !== 'StorageError') return error;
  const { schema, reason } = await gatehouse.readiness();
  return schema === 'drift' ? new CommandError(`${error.message.replace(/\.$/, '')}: ${reason}.`) : error;
}
