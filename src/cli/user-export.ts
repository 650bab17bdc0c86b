import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { withMigrated } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

interface ExportOptions extends FileOptions {
  withHashes?: boolean;
}

/** Adds `svc user export`. */
export function addUserExport(user: Command): void {
  withFiles(user.command('export'))
    .description('print every user in the form that `svc user import` reads, one a line')
    .option('--with-hashes', 'print password hashes too: whoever reads them can try passwords')
    .action((options: ExportOptions) =>
      withMigrated(options, async ({ operator }) => {
        const { withHashes = false } = options;
        for await (const lines of await operator.exportUsers({ withHashes })) {
          await print(`${lines.join('\n')}\n`);
        }
      }),
    );
}

/** Writes to standard output. @throws {CommandError} when the disk is full, or nobody reads any more */
function print(text: string): Promise<void> {
  const { stdout } = process;
  return new Promise((resolve, reject) => {
    function fail({ code }: NodeJS.ErrnoException) {
      reject(new CommandError(`The export is not complete: standard output can't be written (${code}).`));
    }
    stdout.once('error', fail);
    stdout.write(text, error => {
      // The event that follows a failure needs its listener.
      if (error) return;
      stdout.off('error', fail);
      resolve();
    });
  });
}
