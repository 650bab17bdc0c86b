/** An operation as a test calls it through both doors. */
export interface Operation {
  /** Method and path; a part of it with a question mark is optional. */
  rest: string;
  field: string;
  /** The type of its `input` argument, when it has one. */
  input?: string;
  graphql: string;
}

export const message = '{ message }';
export const session = '{ accessToken tokenType expiresIn }';
export const authenticator = '{ id kind name createdAt lastUsedAt isSynced isDistrusted }';
export const authenticatorAdded = `{ authenticator ${authenticator} recoveryCodes session ${session} }`;

export function mutation(rest: string, field: string, input: string | null, selection: string): Operation {
  if (input === null) return { rest, field, graphql: `mutation { ${field} ${selection} }` };
  const graphql = `mutation ($input: ${input}) { ${field}(input: $input) ${selection} }`;
  return { rest, field, input, graphql };
}

export function query(
  rest: string,
  field: string,
  selection: string,
  args: Record<string, string> = {},
): Operation {
  const names = Object.keys(args);
  if (names.length === 0) return { rest, field, graphql: `query { ${field} ${selection} }` };
  const declared = names.map(name => `$${name}: ${args[name]}`).join(', ');
  const passed = names.map(name => `${name}: $${name}`).join(', ');
  return { rest, field, graphql: `query (${declared}) { ${field}(${passed}) ${selection} }` };
}
