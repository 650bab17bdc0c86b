import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { ErrorCode, GatehouseError } from '../errors.ts';
import { problemHeaders, statusOf, toGatehouseError } from '../rest/problem.ts';
import { camelCase } from './context.ts';

/** The service's own error behind an execution error, through the layers that wrap it. */
function originOf(error: GraphQLError): unknown {
  let origin: unknown = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}

/**
 * The error as it leaves: the code of the REST interface, its status and what else it says there. A document that
 * doesn't parse, validate or stay within the limits has no origin of its own and is `invalid_document`.
 */
export function toGraphQLError(
  error: GraphQLError,
  requestId: string,
): { shown: GraphQLError; logged?: GatehouseError } {
  const origin = originOf(error);
  if (origin instanceof GraphQLError) return { shown: invalidDocument(error, origin) };
  const cause = toGatehouseError(origin, requestId);
  const { code, errors, retryAfterSeconds, attemptsRemaining } = cause;
  const headers = problemHeaders(cause);
  delete headers['WWW-Authenticate'];
  const shown = new GraphQLError(cause.message, {
    nodes: error.nodes,
    path: error.path,
    extensions: {
      code,
      status: statusOf(code),
      ...(errors && { errors: errors.map(({ path, message }) => ({ path: camelCase(path), message })) }),
      ...(retryAfterSeconds !== undefined && { retryAfter: Math.ceil(retryAfterSeconds) }),
      ...(attemptsRemaining !== undefined && { attemptsRemaining }),
      http: { headers },
    },
  });
  return { shown, logged: cause };
}

function invalidDocument(error: GraphQLError, origin: GraphQLError): GraphQLError {
  const { http = { status: 400, spec: true } } = origin.extensions as GraphQLErrorExtensions;
  const status = http.status ?? 400;
  // At a field, the document was executed all the same, and what executes answers 200.
  const isExecuted = error.path !== undefined;
  const code: ErrorCode = status === 405 ? 'method_not_allowed' : 'invalid_document';
  // Around the origin stands, for a variable, where it is wrong.
  const [, variable, path] =
    /^Variable "\$(\w+)" has invalid value at ([\w.[\]]+): /.exec(error.message) ?? [];
  const message = withoutValue(origin.message);
  return new GraphQLError(path ? `${variable}${path}: ${message}` : message, {
    nodes: error.nodes,
    positions: error.positions,
    source: error.source,
    path: error.path,
    extensions: { code, status, ...(!isExecuted && { http }) },
  });
}

/** What GraphQL says of a variable or an argument that doesn't fit, less the value: it may hold a password. */
function withoutValue(message: string): string {
  return message
    .replace(/(has invalid value) (?!at )[\s\S]*$/, '$1.')
    .replace(/, found: [\s\S]*$/, '.')
    .replace(/ Found: [\s\S]*$/, '')
    .replace(/(cannot represent [^:]{1,60}): [\s\S]*$/, '$1.');
}
