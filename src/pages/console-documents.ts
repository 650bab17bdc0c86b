import type { Config } from '../config/schema.ts';
import { packageFile } from '../package-files.ts';
import { ownFieldsFor } from './own-fields.ts';

/** What the console's own module exports; a browser loads it as it is written. */
interface Module {
  adminDocuments(own: { fields: string; hasRoles: boolean }): Record<string, string>;
}

const address = packageFile('static/admin-documents.js');

/**
 * Returns the GraphQL documents of the console in this configuration, as its scripts write them. A host's own template may
 * leave out what the configuration adds to users, so they are also there without it.
 */
export async function consoleDocuments(config: Pick<Config, 'userFields' | 'roles'>): Promise<Set<string>> {
  const module = (await import(address.href)) as Module;
  const names = ownFieldsFor('admin', config).map(field => field.graphql_name);
  const forms = ['', names.join(' ')].flatMap(fields =>
    [false, config.roles.length > 0].map(hasRoles => module.adminDocuments({ fields, hasRoles })),
  );
  return new Set(forms.flatMap(documents => Object.values(documents)));
}
