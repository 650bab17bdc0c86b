import { z } from 'zod';
import { demandsOf } from '../domain/operation.ts';
import type { Answers } from '../http/feature-answers.ts';
import { shapeOf } from '../zod-shape.ts';
import { inputFields } from './input.ts';
import { type Json, toJsonSchemas } from './json-schemas.ts';
import { fieldExamples } from './openapi-examples.ts';
import { type DeploymentFacts, problemComponents, problemResponses } from './openapi-problems.ts';
import { protocolBody, protocolRefusals, protocolSchemas, resourceScheme } from './openapi-protocol.ts';
import { isRedirect, parametersOf, type Route } from './route.ts';

interface OpenApiParts {
  routes: Route[];
  /** Paths that are of no operation. */
  answers: Answers;
  title: string;
  /** The URL of the API: `https://example.org/api/auth`. */
  url: string;
  version: string;
  facts: DeploymentFacts;
}

/** Returns the OpenAPI 3.1 document of exactly these routes, made from the schemas that parse their input. */
export function createOpenApi({ routes, answers, title, url, version, facts }: OpenApiParts): Json {
  const described = routes.map(route => ({ route, ...inputOf(route) }));
  const inputs = toJsonSchemas(
    Object.assign({}, ...described.map(({ parameters, body }) => ({ ...parameters, ...body }))),
    'input',
  );
  const outputs = toJsonSchemas(
    Object.fromEntries(routes.map(({ operation: { spec } }) => [spec.name, spec.output])),
    'output',
  );
  const schemas: Schemas = {
    inputs: inputs.schemas,
    outputs: outputs.schemas,
    components: outputs.components,
  };

  const paths: Record<string, Json> = {};
  for (const { route } of described) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describe(route, schemas, facts),
    };
  }
  for (const [path, { described }] of Object.entries(answers)) paths[path] = { ...described };
  return {
    openapi: '3.1.1',
    info: {
      title: `${title}: accounts and authentication`,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Texts for people are in the language that `Accept-Language` asks for, where it is offered.',
    },
    servers: [{ url }],
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The `access_token` of a sign-in.',
        },
        ...(facts.hasKeys && {
          apiKey: {
            ...{ type: 'apiKey', in: 'header', name: 'X-API-Key' },
            description: 'A key of `POST /api-keys`; also as a bearer token.',
          },
        }),
        ...resourceScheme(routes),
      },
      schemas: { ...schemas.components, ...protocolSchemas(routes), ...problemComponents.schemas },
      examples: problemComponents.examples,
      parameters: {
        'Accept-Language': {
          name: 'Accept-Language',
          in: 'header',
          schema: { type: 'string' },
          description:
            'Of any request: the language of `detail`, `errors[].message` and `message`, where it names an offered one other than by `*`; else they are in that of the account, else in the default one.',
        },
      },
      headers: {
        'Content-Language': {
          schema: { type: 'string' },
          description: 'Of any response with texts for people: their language.',
        },
      },
    },
  };
}

/** The schemas of every route: inputs under the keys of `inputOf`, outputs under the names of the operations. */
interface Schemas {
  inputs: Record<string, Json>;
  outputs: Record<string, Json>;
  components: Record<string, Json>;
}

const bodyKey = ({ operationId }: Route) => `${operationId}.body`;
const parameterKey = ({ operationId }: Route, name: string) => `${operationId}.${name}`;

/**
 * Returns where the fields of a route's input are: in its path, and in the query of a GET or the body of the other
 * methods.
 */
function inputOf(route: Route) {
  const inPath = parametersOf(route.path);
  const fields = Object.entries(inputFields(route));
  const isParameter = ([name]: [string, z.ZodType]) => inPath.includes(name) || route.method === 'GET';
  const parameters = fields.filter(isParameter);
  const inBody = fields.filter(field => !isParameter(field));
  return {
    parameters: Object.fromEntries(parameters.map(([name, schema]) => [parameterKey(route, name), schema])),
    body:
      inBody.length > 0
        ? { [bodyKey(route)]: (route.isForm ? z.looseObject : z.strictObject)(Object.fromEntries(inBody)) }
        : {},
  };
}

function describe(route: Route, schemas: Schemas, facts: DeploymentFacts): Json {
  const { spec } = route.operation;
  const inPath = parametersOf(route.path);
  const fields = Object.entries(inputFields(route));
  const parameters = fields
    .filter(([name]) => parameterKey(route, name) in schemas.inputs)
    .map(([name, schema]) => {
      const isPath = inPath.includes(name);
      const { description, ...json } = withoutNull(schemas.inputs[parameterKey(route, name)]!);
      const { isOptional } = shapeOf(schema);
      return {
        name,
        in: isPath ? 'path' : 'query',
        required: isPath || !isOptional,
        ...(description !== undefined && { description }),
        schema: json,
      };
    });
  const body = route.isProtocol ? undefined : schemas.inputs[bodyKey(route)];

  return {
    operationId: route.operationId,
    summary: spec.summary,
    ...(spec.description && { description: spec.description }),
    tags: [tagOf(route.path)],
    security: route.isForResources ? [{ resource: [] }] : securityOf(spec, facts),
    ...(parameters.length > 0 && { parameters }),
    ...(route.isProtocol && { requestBody: protocolBody(route) }),
    ...(body && {
      requestBody: {
        // A body may be omitted when none of its fields is required.
        required: Array.isArray(body.required) && body.required.length > 0,
        content: {
          [route.isForm ? 'application/x-www-form-urlencoded' : 'application/json']: {
            ...{ schema: body, example: exampleOf(body, schemas) },
          },
        },
      },
    }),
    responses: {
      [route.status]: successOf(route, schemas),
      ...problemResponses(route, { ...facts, hasInput: fields.length > 0 }),
      ...(route.isProtocol && protocolRefusals(route)),
    },
  };
}

/** Returns who may send a request: a session or a key must be sent, a session may be sent, or is not looked at. */
function securityOf(spec: Route['operation']['spec'], { hasKeys }: DeploymentFacts): Json[] {
  const { kind } = spec.access;
  if (kind === 'person' && hasKeys) return [{ session: [] }, { apiKey: [] }];
  if (kind !== 'anyone') return [{ session: [] }];
  return demandsOf(spec).takesSession ? [{}, { session: [] }] : [];
}

/** Returns what a route responds when it succeeds. */
function successOf({ status, isEmpty, operation: { spec } }: Route, schemas: Schemas): Json {
  if (isEmpty) return { description: 'Success, without a body.' };
  if (isRedirect(status)) {
    const Location = { schema: { type: 'string', format: 'uri' } };
    return { description: 'A redirect to the next page.', headers: { Location } };
  }
  if (status === 204) {
    // The only operations without content are about a cookie.
    return { description: 'Success.', headers: { 'Set-Cookie': { schema: { type: 'string' } } } };
  }
  const schema = schemas.outputs[spec.name]!;
  return {
    description: 'Success.',
    content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
  };
}

const tagOf = (path: string) =>
  path.startsWith('/admin') ? 'admin' : path.startsWith('/oauth') ? 'oauth' : 'account';

/** Returns the schema without null: a parameter of a URL is present or absent, never null. */
function withoutNull(schema: Json): Json {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter(type => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0] : types };
  }
  const { anyOf, ...rest } = schema;
  const options = (anyOf as Json[] | undefined)?.filter(option => option.type !== 'null');
  return options?.length === 1 ? { ...options[0]!, ...rest } : schema;
}

/** Returns a value of a field that matches its schema: an example of the schema, else one for its name. */
function exampleOf(schema: Json, schemas: Schemas, name = ''): unknown {
  if (typeof schema.$ref === 'string')
    return exampleOf(schemas.components[schema.$ref.split('/').at(-1)!]!, schemas, name);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0], schemas, name);
  // A nullable field has a list of types, null last.
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
      return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(inner, schemas, name)]));
    }
    case 'array':
      return [exampleOf(schema.items as Json, schemas, name)];
    case 'string':
      return fieldExamples[name] ?? 'text';
    case 'boolean':
      return fieldExamples[name] ?? false;
    default:
      return fieldExamples[name] ?? schema.minimum ?? 1;
  }
}
