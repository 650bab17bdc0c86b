import { z } from 'zod';
import { GatehouseError } from '../errors.ts';
import { parametersOf, type Route } from './route.ts';

/** The fields of an operation's input. */
export function fieldsOf({ operation }: Route): Record<string, z.ZodType> {
  const { input } = operation.spec;
  return input instanceof z.ZodObject ? input.shape : {};
}

/** Where the input of a route comes from: names in its path, else the query of a GET and the body of the others. */
export function createInput(
  route: Route,
): (parts: { params: Record<string, string>; query: () => URLSearchParams; body: unknown }) => unknown {
  const inPath = parametersOf(route.path);
  const inQuery = Object.keys(fieldsOf(route)).filter(name => !inPath.includes(name));
  const types = new Map(inQuery.map(name => [name, typeOf(fieldsOf(route)[name]!)]));

  if (route.method === 'GET') {
    // A GET that takes nothing ignores its query, as clients add things such as a cache buster.
    if (inQuery.length === 0) return ({ params }) => ({ ...params });
    return ({ params, query }) => ({ ...fromQuery(query(), types), ...params });
  }
  if (inPath.length === 0) return ({ body }) => body;
  return ({ params, query, body }) => {
    const twice = inPath.filter(
      name => typeof body === 'object' && body !== null && Object.hasOwn(body, name),
    );
    if (twice.length > 0 || typeof body !== 'object' || body === null || Array.isArray(body)) {
      const errors = twice.map(path => ({ path, message: 'stands in the path, not in the body' }));
      const notAnObject = [{ path: '', message: 'the body must be an object' }];
      throw new GatehouseError('invalid_input', { errors: twice.length > 0 ? errors : notAnObject });
    }
    return { ...(route.orQuery && fromQuery(query(), types)), ...body, ...params };
  };
}

/** A name that stands twice becomes a list, which no field takes; the others become what their field asks for. */
function fromQuery(query: URLSearchParams, types: Map<string, string>): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a name like any other and refused as such.
  const input: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const [value = ''] = values;
    input[name] = values.length > 1 ? values : fromText(value, types.get(name));
  }
  return input;
}

/** Text that is no such value stays text, which the schema then refuses. */
function fromText(text: string, type: string | undefined): unknown {
  if (type === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

/** Looks through optional and transformed layers. */
function typeOf(schema: z.core.$ZodType): string {
  const def = schema._zod.def as z.core.$ZodTypeDef & { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner ? typeOf(inner) : def.type;
}
