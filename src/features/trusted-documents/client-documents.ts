// The GraphQL documents that a client sends, for a server that takes trusted documents alone.
import { administrationTable } from '../../client/generated/administration.ts';
import { apiKeysTable } from '../../client/generated/api-keys.ts';
import { table } from '../../client/generated/table.ts';
import { tokensTable } from '../../client/generated/tokens.ts';
import { documentOf, ownSelection } from '../../client/requests.ts';

/** The documents that a client has. */
interface Told {
  userFields: object;
  roles: readonly string[];
  hasLocales?: boolean;
}

const tables = [table, administrationTable, apiKeysTable, tokensTable].flat();

/** Returns every document of a client with every module; `hasRoles` says whether the server has any. */
export function clientDocuments({ userFields, roles, hasLocales }: Told, hasRoles = roles.length > 0) {
  const own = ownSelection(userFields, roles, hasLocales);
  return tables.flatMap(operation => {
    const [name] = operation;
    // The list of users by role has one argument more.
    const inputs = name === 'users' && hasRoles ? [{}, { role: 'any' }] : [{}];
    const isAdministration = administrationTable.includes(operation);
    return inputs.map(input => ({ name, isAdministration, document: documentOf(operation, input, own)[0] }));
  });
}
