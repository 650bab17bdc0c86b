import type { Command } from 'commander';
import type { GraphQLSchema } from 'graphql';
import { withGatehouse } from '../../cli/instance.ts';
import { type FileOptions, withFiles } from '../../cli/settings.ts';
import type { Config } from '../../config/schema.ts';

/** Adds `svc documents`. */
export function addCommands(program: Command): void {
  withFiles(program.command('documents'))
    .description(
      'print the GraphQL documents of gatehouse-auth/client, as graphql_trusted_documents takes them',
    )
    .action((options: FileOptions) =>
      withGatehouse(options, async gatehouse => {
        const manifest = await clientManifest(gatehouse.config, await gatehouse.graphqlSchema());
        process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
      }),
    );
}

/** Returns every document that a client of this configuration can send, by its hash; no operation of a feature that is off. */
async function clientManifest(config: Config, schema: GraphQLSchema): Promise<Record<string, string>> {
  const [{ clientDocuments }, { hashOfDocument }] = await Promise.all([
    import('./client-documents.ts'),
    import('./manifest.ts'),
  ]);
  const there = new Set(
    [schema.getQueryType(), schema.getMutationType()].flatMap(type => Object.keys(type?.getFields() ?? {})),
  );
  const documents = ownForms(config)
    .flatMap(told => clientDocuments(told, config.roles.length > 0))
    .flatMap(({ name, document }) => (there.has(name) ? [document] : []));
  return Object.fromEntries(documents.map(text => [hashOfDocument(text), text]));
}

/** Returns the ways to describe a server to a client: no own fields, those of people or of administrators; with roles or languages, or not. */
function ownForms({ userFields, roles, locales }: Config) {
  const seenBy = (isSeen: (visibleTo: string) => boolean) =>
    Object.fromEntries(Object.entries(userFields).filter(([, { visibleTo }]) => isSeen(visibleTo)));
  const forms = [{}, seenBy(level => level === 'user'), seenBy(level => level !== 'host')];
  // Users have `locale` in the schema only where there are several languages.
  const knowsLocales = locales.length > 1 ? [false, true] : [false];
  return forms.flatMap(form =>
    [[], roles].flatMap(told =>
      knowsLocales.map(hasLocales => ({ userFields: form, roles: told, hasLocales })),
    ),
  );
}
