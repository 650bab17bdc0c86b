import type { Config } from '../../config/schema.ts';
import { ownFieldsFor } from '../../pages/own-fields.ts';
import { clientDocuments } from './client-documents.ts';

/** The operations of sign-in that the console asks for, beside those of administration. */
const ofSignIn = ['me', 'logout', 'resendVerification'];

/**
 * Returns the GraphQL documents that the console sends in this configuration. A host's own template may leave out what the
 * configuration adds to users, so they are also there without it.
 */
export function consoleDocuments({ userFields, roles }: Pick<Config, 'userFields' | 'roles'>): Set<string> {
  const names = ownFieldsFor('admin', { userFields }).map(field => [field.graphql_name, true]);
  const forms = [{}, Object.fromEntries(names)].flatMap(fields => [
    { userFields: fields, roles: [] },
    { userFields: fields, roles },
  ]);
  return new Set(
    forms.flatMap(own =>
      clientDocuments(own)
        .filter(({ name, isAdministration }) => isAdministration || ofSignIn.includes(name))
        .map(({ document }) => document),
    ),
  );
}
