import { once } from 'node:events';
import type { Command } from 'commander';
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
        const { stdout } = process;
        const { withHashes = false } = options;
        for await (const lines of await operator.exportUsers({ withHashes })) {
          if (!stdout.write(`${lines.join('\n')}\n`)) await once(stdout, 'drain');
        }
      }),
    );
}
