import type { ProtocolError } from '../domain/protocol.ts';
import { fieldsOf } from '../zod-shape.ts';
import type { Json } from './json-schemas.ts';
import type { Route } from './route.ts';

// The endpoints of OAuth 2 in the OpenAPI document: forms, and refusals in the form of RFC 6749 §5.2.

const formName = ({ operationId }: Route) =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Form`;

const refusals: Record<ProtocolError, { status: 400 | 401; description: string }> = {
  invalid_request: {
    status: 400,
    description: 'There is no token, a parameter occurs twice, or credentials are in both places.',
  },
  unsupported_token_type: { status: 400, description: 'An API key is not ended here.' },
  invalid_client: { status: 401, description: 'The credentials are wrong, or there are none.' },
};
const names = Object.keys(refusals) as ProtocolError[];

/** Returns the schemas of the endpoints among these routes. */
export function protocolSchemas(routes: readonly Route[]): Record<string, Json> {
  const protocol = routes.filter(({ isProtocol }) => isProtocol);
  if (protocol.length === 0) return {};
  return {
    ...Object.fromEntries(protocol.map(route => [formName(route), formOf(route)])),
    ProtocolError: {
      type: 'object',
      description: 'Why a request was refused (RFC 6749 §5.2).',
      required: ['error'],
      properties: { error: { type: 'string', description: 'The code of RFC 6749 §5.2.', enum: names } },
    },
  };
}

/** Every parameter is a text that occurs once. */
function formOf({ isForResources, operation: { spec } }: Route): Json {
  const properties = Object.entries(fieldsOf(spec.input) ?? {}).map(([name, schema]) => {
    const { description } = (schema as { description?: string }) ?? {};
    return [
      name,
      { type: 'string', ...(description && { description }), examples: [examples[name] ?? name] },
    ];
  });
  return {
    type: 'object',
    description: isForResources
      ? 'The token that a resource asks about, as a form.'
      : 'The token to revoke, as a form.',
    required: isForResources ? ['token'] : ['token', 'client_id'],
    properties: Object.fromEntries(properties),
  };
}

const examples: Readonly<Record<string, string>> = {
  token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJzdWIiOiIwMTljMGEyYiJ9.Qx7Lr0sM',
  token_type_hint: 'access_token',
  client_id: 'session',
  client_secret: '8f1c2a9b7d6e5f40312a4b5c6d7e8f90',
};

/** Returns the body of a request: a form. */
export const protocolBody = (route: Route): Json => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': {
      schema: { $ref: `#/components/schemas/${formName(route)}` },
      example: { token: examples.token, ...(!route.isForResources && { client_id: examples.client_id }) },
    },
  },
});

/** Returns the refusals of an endpoint in the form of OAuth 2, by their status. */
export function protocolRefusals({ isForResources }: Route): Record<string, Json> {
  const possible = names.filter(name => !(isForResources && name === 'unsupported_token_type'));
  return Object.fromEntries(
    [400, 401].map(status => {
      const found = possible.filter(name => refusals[name].status === status);
      return [
        status,
        {
          description: found.map(name => `\`${name}\`: ${refusals[name].description}`).join(' '),
          ...(status === 401 && {
            headers: {
              'WWW-Authenticate': { schema: { type: 'string' }, description: 'The scheme: `Basic`.' },
            },
          }),
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/ProtocolError' },
              example: { error: found[0] },
            },
          },
        },
      ];
    }),
  );
}

/** How an API of `[resources]` names itself. */
export const resourceScheme = (routes: readonly Route[]): Record<string, Json> =>
  routes.some(({ isForResources }) => isForResources)
    ? {
        resource: {
          type: 'http',
          scheme: 'basic',
          description:
            'The name of a resource and its secret; also as `client_id` and `client_secret` in the form.',
        },
      }
    : {};
