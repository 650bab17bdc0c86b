import type { Command } from 'commander';
import { CommandError } from '../../cli/errors.ts';
import { withMigrated } from '../../cli/instance.ts';
import { print, unwritable } from '../../cli/output.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';

interface ExportOptions extends FileOptions {
  withHashes?: boolean;
}

/** Adds `svc user export`. */
export function addUserExport(user: Command): void {
  withFiles(user.command('export'))
    .description('print every user in the form that `svc user import` reads, one a line')
    .option('--with-hashes', 'print password hashes too: whoever reads them can try passwords')
    .action((options: ExportOptions) =>
      withMigrated(options, async ({ features }) => {
        const { withHashes = false } = options;
        for await (const lines of await features.importExport!.operator.exportUsers({ withHashes })) {
          const failure = await print(`${lines.join('\n')}\n`);
          if (failure) throw new CommandError(`The export is not complete: ${unwritable(failure)}.`);
        }
      }),
    );
}
