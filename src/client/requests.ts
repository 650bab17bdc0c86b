import { camelCase, mapFields, separated } from './names.ts';
import { isRead, type Operation } from './operation.ts';
import type { Json } from './types.ts';

/** A request below the URL of the API. */
export type Request = [path: string, method: string, body?: Json];

const methods: Record<string, string> = { P: 'POST', O: 'POST', U: 'PATCH', D: 'DELETE' };

/** Returns the request of an operation in REST. */
export function restRequest([, letter, path]: Operation, input: Json): Request {
  const left = { ...input };
  const filled = path.replace(/\/:(\w+)(\??)/g, (_, name: string, optional: string) => {
    const value = left[name];
    delete left[name];
    return optional && value == null ? '' : `/${encodeURIComponent(value as string)}`;
  });
  const method = methods[letter.toUpperCase()];
  const fields = mapFields(left, ([name, value]) =>
    value == null && !method ? [] : [[separated(name), value]],
  );
  if (method) return [filled, method, fields];
  const query = `${new URLSearchParams(fields as Record<string, string>)}`;
  return [filled + (query && `?${query}`), 'GET'];
}

/** The types of arguments whose names do not tell them: a flag begins with `is`, everything else is a text. */
const types: Record<string, string> = { id: 'ID!', first: 'Int', withAddresses: 'Boolean' };

const typeOf = (name: string) => types[name] ?? (/^is/.test(name) ? 'Boolean' : 'String');

/**
 * Returns the document of an operation in GraphQL, and its variables. The document names every argument that each server
 * has, so that it does not depend on the input and can be a trusted one. `own` is what is asked for beside the fields that
 * every user has.
 */
export function documentOf(operation: Operation, input: Json, own: string): [query: string, variables: Json] {
  const [name, , , rest, text] = operation;
  const isQuery = isRead(operation);
  let [, names = '', selection] = /^(?:(.*?)\))?(.*)/.exec(text)!;
  const variables = isQuery
    ? mapFields(input, ([key, value]) => (value == null ? [] : [[key === 'limit' ? 'first' : key, value]]))
    : mapFields({ input }, ([key, value]) => (rest === '0' ? [] : [[key, toInput(value as Json)]]));
  for (const key in variables) if (!names.split(' ').includes(key)) names += ` ${key}`;
  const list = (type: string, item: (name: string) => string) =>
    names && `(${names.trim().replace(/\w+/g, key => `${type}${key}:${item(key)}`)})`;
  const inputType = `${rest || `${camelCase(`_${name}`)}Input`}!`;
  selection &&= `{${selection.replace(/InvalidatedAfter/g, `$&${own}`)}}`;
  return [
    (isQuery ? 'query' : 'mutation') +
      list('$', key => (isQuery ? typeOf(key) : inputType)) +
      `{${name}${list('', key => `$${key}`)}${selection}}`,
    variables,
  ];
}

/** Returns an input with the names of GraphQL. */
const toInput = ({ fields, ...input }: Json): Json =>
  fields ? { ...input, fields: mapFields(fields, ([name, value]) => [[camelCase(name), value]]) } : input;

/** Returns what a user is asked for beside the fields that every user has. It has the names of the configuration, as in REST. */
export function ownSelection(
  userFields: object = {},
  roles: readonly unknown[] = [],
  hasLocales = false,
): string {
  const fields = Object.keys(userFields)
    .sort()
    .map(name => `${name}:${camelCase(name)}`)
    .join(' ');
  return (hasLocales ? ' locale' : '') + (roles[0] ? ' roles' : '') + (fields && ` fields{${fields}}`);
}
