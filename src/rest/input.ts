import { fieldError, GatehouseError } from '../errors.ts';
import { valuesByName } from '../http/body.ts';
import { say } from '../words/said.ts';
import { fieldsOf, shapeOf } from '../zod-shape.ts';
import { parametersOf, type Route } from './route.ts';

/** Returns the fields of an operation's input. */
export const inputFields = ({ operation }: Route) => fieldsOf(operation.spec.input) ?? {};

/**
 * Returns a function that reads the input of a route: names in its path, and the query of a GET or the body of the other
 * methods.
 */
export function createInput(
  route: Route,
): (parts: { params: Record<string, string>; query: () => URLSearchParams; body: unknown }) => unknown {
  const inPath = parametersOf(route.path);
  const inQuery = Object.keys(inputFields(route)).filter(name => !inPath.includes(name));
  const types = new Map(inQuery.map(name => [name, shapeOf(inputFields(route)[name]!).type]));

  if (route.method === 'GET') {
    // A GET without input ignores its query, because clients add parameters such as a cache buster.
    if (inQuery.length === 0) return ({ params }) => ({ ...params });
    return ({ params, query }) => ({ ...fromQuery(query(), types), ...params });
  }
  if (inPath.length === 0) return ({ body }) => body;
  // A form that others post may have fields of theirs, as the query of a GET may; the path decides.
  const onlyInPath = route.isForm ? [] : inPath;
  return ({ params, query, body }) => {
    const twice = onlyInPath.filter(
      name => typeof body === 'object' && body !== null && Object.hasOwn(body, name),
    );
    if (twice.length > 0 || typeof body !== 'object' || body === null || Array.isArray(body)) {
      const errors = twice.map(path => fieldError(path, say('field_in_path')));
      const notAnObject = [fieldError('', say('field_body'))];
      throw new GatehouseError('invalid_input', { errors: twice.length > 0 ? errors : notAnObject });
    }
    return { ...(route.orQuery && fromQuery(query(), types)), ...body, ...params };
  };
}

/** A name that occurs twice becomes a list, which no field accepts; the others are converted to the type of their field. */
function fromQuery(query: URLSearchParams, types: Map<string, string>): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a name like any other and is rejected as one.
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, values] of valuesByName(query)) {
    const [value = ''] = values;
    input[name] = values.length > 1 ? values : fromText(value, types.get(name));
  }
  return input;
}

/**
 * A text that is no value of this type stays a text, which the schema then rejects. A number beyond those that are exact counts
 * as the largest of them: no limit is that high.
 */
function fromText(text: string, type: string | undefined): unknown {
  if (type === 'number' && /^-?\d+$/.test(text)) {
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
  }
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}
