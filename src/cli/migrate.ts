import type { Command } from 'commander';
import { withGatehouse } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

export function addMigrate(program: Command): void {
  withFiles(program.command('migrate'))
    .description('bring the database to the schema of this version; safe from several machines at once')
    .action((options: FileOptions) =>
      withGatehouse(options, async ({ operator }) => {
        const steps = await operator.migrate({});
        const done =
          steps === 0
            ? 'nothing to do'
            : steps === 1
              ? '1 migration was applied'
              : `${steps} migrations were applied`;
        console.log(`The schema is up to date: ${done}.`);
      }),
    );
}
