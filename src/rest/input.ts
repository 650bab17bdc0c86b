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
  const numbers = new Set(inQuery.filter(name => isNumber(fieldsOf(route)[name]!)));

  if (route.method === 'GET') {
    // A GET that takes nothing ignores its query, as clients add things such as a cache buster.
    if (inQuery.length === 0) return ({ params }) => ({ ...params });
    return ({ params, query }) => ({ ...fromQuery(query(), numbers), ...params });
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
    return { ...(route.orQuery && fromQuery(query(), numbers)), ...body, ...params };
  };
}

/** A name that stands twice becomes a list, which no field takes; digits become numbers where a number is asked for. */
function fromQuery(query: URLSearchParams, numbers: Set<string>): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a name like any other and refused as such.
  const input: Record<string, unknown> = Object.create(null);
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const [value = ''] = values;
    if (values.length > 1) input[name] = values;
    else input[name] = numbers.has(name) && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return input;
}

/** Looks through optional and transformed layers. */
function isNumber(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as z.core.$ZodTypeDef & { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner ? isNumber(inner) : def.type === 'number';
}
