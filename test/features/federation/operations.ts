/** No door has an operation of federation under its name; the app of these calls has its fields nevertheless. */
export const settings = { enableFederation: true, graphqlIntrospection: true };
export const operations = {};
export const calls = {};
