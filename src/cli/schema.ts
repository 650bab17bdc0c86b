import type { Command } from 'commander';
import { everyFeature } from '../feature-parts.ts';
import { withGatehouse } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

/** The further forms of the schema, by features. */
const forms = everyFeature.flatMap(({ schemaForm }) => schemaForm ?? []);

/** Adds `svc schema`. */
export function addSchema(program: Command): void {
  const command = withFiles(program.command('schema')).description(
    'print the GraphQL schema of this configuration',
  );
  for (const { option, text } of forms) command.option(`--${option}`, text);
  command.action((options: FileOptions & Record<string, unknown>) =>
    withGatehouse(options, async gatehouse => {
      const schema = await gatehouse.graphqlSchema();
      const form = forms.find(({ option }) => options[option] === true);
      if (form) return void process.stdout.write((await form.load()).print(schema));
      const { printGraphQLSchema } = await import('../graphql/print.ts');
      process.stdout.write(printGraphQLSchema(schema));
    }),
  );
}
