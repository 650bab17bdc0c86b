import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { fieldsOf } from './input.ts';
import { type Problem, statusOf } from './problem.ts';
import { parametersOf, type Route } from './route.ts';

type Json = { [key: string]: unknown };

interface OpenApiParts {
  routes: Route[];
  title: string;
  /** Where the API is: `https://example.org/api/auth`. */
  url: string;
  version: string;
}

/** The OpenAPI 3.1 document of exactly these routes, made from the schemas that parse their input. */
export function createOpenApi({ routes, title, url, version }: OpenApiParts): Json {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `${title}: accounts and authentication`,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'What login answers.' },
      },
      schemas: { ...schemas.components, Problem: problemSchema },
    },
  };
}

type Schemas = ReturnType<typeof createSchemas>;

/** Turns schemas of the service into those of the document; named ones become components. */
function createSchemas() {
  const components: Record<string, Json> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    // Wrapped, so that a named schema is referred to at the top, too.
    const wrapped = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: 'any', override: tidy });
    const text = JSON.stringify(wrapped).replaceAll('#/$defs/', '#/components/schemas/');
    const { properties, $defs = {} } = JSON.parse(text) as {
      properties: { it: Json };
      $defs?: Record<string, Json>;
    };
    Object.assign(components, $defs);
    return properties.it;
  }

  return { components, convert };
}

/** The pattern of a date says no more than its format, at length; a number needs no bound that is the language's. */
function tidy({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.id;
}

function describe(route: Route, schemas: Schemas): Json {
  const { spec } = route.operation;
  const inPath = parametersOf(route.path);
  const fields = Object.entries(fieldsOf(route));
  const rest = fields.filter(([name]) => !inPath.includes(name));
  const inQuery = route.method === 'GET' ? rest : [];
  const inBody = route.method === 'GET' ? [] : rest;

  const parameters = fields
    .filter(([name]) => inPath.includes(name) || inQuery.some(([other]) => other === name))
    .map(([name, schema]) => {
      const isPath = inPath.includes(name);
      const json = withoutNull(schemas.convert(schema, 'input'));
      return {
        name,
        in: isPath ? 'path' : 'query',
        required: isPath || !schema.safeParse(undefined).success,
        schema: json,
      };
    });
  const body = inBody.length > 0 && schemas.convert(z.strictObject(Object.fromEntries(inBody)), 'input');
  const isRedirect = route.status === 302;
  const success = schemas.convert(spec.answers, 'output');

  return {
    operationId: spec.name,
    tags: [tagOf(route.path)],
    ...(spec.access !== 'anyone' && { security: [{ session: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        // A body may be left out when none of its fields is required.
        required: Array.isArray(body.required) && body.required.length > 0,
        content: { 'application/json': { schema: body, example: exampleOf(body, schemas) } },
      },
    }),
    responses: {
      [route.status]: {
        description: isRedirect ? 'On to the next page.' : 'Success.',
        ...(isRedirect
          ? { headers: { Location: { schema: { type: 'string', format: 'uri' } } } }
          : { content: { 'application/json': { schema: success, example: exampleOf(success, schemas) } } }),
      },
      ...problems(errorsOf(route, fields.length > 0)),
    },
  };
}

const tagOf = (path: string) =>
  path.startsWith('/admin') ? 'admin' : path.startsWith('/oauth') ? 'oauth' : 'account';

/** A parameter of a URL is there or not; it is never null. */
function withoutNull(schema: Json): Json {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter(type => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : types };
  }
  const options = (schema.anyOf as Json[] | undefined)?.filter(option => option.type !== 'null');
  return options?.length === 1 ? options[0]! : schema;
}

/** Every code that this route can answer: its operation's own, and those of its access, limit and body. */
function errorsOf({ method, operation: { spec } }: Route, hasInput: boolean): ErrorCode[] {
  return [
    ...spec.errors,
    ...(hasInput || method !== 'GET' ? (['invalid_input'] as const) : []),
    ...(method !== 'GET' ? (['bad_json', 'body_too_large', 'unsupported_media_type'] as const) : []),
    ...(spec.access !== 'anyone' ? (['unauthenticated'] as const) : []),
    ...(spec.access === 'superuser' ? (['forbidden'] as const) : []),
    ...(spec.limit ? (['rate_limited'] as const) : []),
    'unavailable',
    'internal_error',
  ];
}

/** One response a status, with an example of each code that has it. */
function problems(codes: ErrorCode[]): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => {
      const schema = {
        allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: list } } }],
      };
      const examples = Object.fromEntries(list.map(code => [code, { value: problemExample(code) }]));
      const description = list.map(code => `\`${code}\`: ${errorCodes[code].detail}`).join(' ');
      return [
        status,
        {
          description,
          headers: headersOf(status),
          content: { 'application/problem+json': { schema, examples } },
        },
      ];
    }),
  );
}

function problemExample(code: ErrorCode): Problem {
  const { title, detail } = errorCodes[code];
  const errors = [{ path: 'email', message: 'is required' }];
  return {
    type: `urn:gatehouse:error:${code}`,
    title,
    status: statusOf(code),
    detail,
    code,
    ...(code === 'invalid_input' && { errors }),
  };
}

function headersOf(status: number): Json | undefined {
  const text = { schema: { type: 'string' } };
  const seconds = { schema: { type: 'integer' }, description: 'Seconds.' };
  if (status === 401) return { 'WWW-Authenticate': text };
  if (status === 503) return { 'Retry-After': seconds };
  if (status !== 429) return undefined;
  return {
    'Retry-After': seconds,
    'RateLimit-Limit': seconds,
    'RateLimit-Remaining': seconds,
    'RateLimit-Reset': seconds,
  };
}

/** RFC 9457, with our extensions. */
const problemSchema: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(errorCodes) },
    attempts_remaining: { type: 'integer', minimum: 0 },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

/** A value that fits a schema, from the examples in it. */
function exampleOf(schema: Json, schemas: Schemas): unknown {
  if (typeof schema.$ref === 'string')
    return exampleOf(schemas.components[schema.$ref.split('/').at(-1)!]!, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0], schemas);
  // A field that may be null has a list of types, null last.
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
      return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(inner, schemas)]));
    }
    case 'array':
      return [exampleOf(schema.items as Json, schemas)];
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'text';
  }
}
