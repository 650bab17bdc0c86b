import type { Command } from 'commander';
import { withGatehouse } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

export function addSchema(program: Command): void {
  withFiles(program.command('schema'))
    .description('print the GraphQL schema of this configuration')
    .action((options: FileOptions) =>
      withGatehouse(options, async gatehouse => {
        const { printGraphQLSchema } = await import('../graphql/print.ts');
        process.stdout.write(printGraphQLSchema(await gatehouse.graphqlSchema()));
      }),
    );
}
