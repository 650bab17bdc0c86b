import type { Command } from 'commander';
import { withMigrated } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

export function addPurge(program: Command): void {
  withFiles(program.command('purge'))
    .description(
      'delete rows that expired more than a day ago, finished external sign-ins that expired, messages given up a month ago, and audit records beyond audit_retention_days, and print how many',
    )
    .action((options: FileOptions) =>
      withMigrated(options, async ({ operator }) => {
        const purged = await operator.purge({});
        for (const [kind, count] of Object.entries(purged)) console.log(`${kind}: ${count} removed`);
      }),
    );
}
