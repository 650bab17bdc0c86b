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
        // Each failure is reported where it was written; without a listener it would end the process as well.
        process.stdout.on('error', () => {});
        for await (const lines of await operator.exportUsers({ withHashes })) {
          await print(`${lines.join('\n')}\n`);
        }
      }),
    );
}

/** Writes to standard output. @throws {CommandError} when the disk is full, or nobody reads any more */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, error => {
      if (!error) return resolve();
      const { code } = error as NodeJS.ErrnoException;
      reject(new CommandError(`The export is not complete: standard output can't be written (${code}).`));
    });
  });
}
