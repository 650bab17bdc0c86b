import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { ErrorCode, GatehouseError } from '../errors.ts';
import { problemHeaders, statusOf, toGatehouseError } from '../http/problem.ts';
import type { Words } from '../words/words.ts';
import { camelCase } from './names.ts';
import { placeInVariable, withoutSuggestions } from './releases.ts';

/** Returns the service's own error behind an execution error, through the layers that wrap it. */
function originOf(error: GraphQLError): unknown {
  let origin: unknown = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}

/**
 * Returns the error as it is sent: the code of the REST interface, its status and its other members there. An error of a
 * document that does not parse, validate or stay within the limits has no origin of its own and becomes
 * `invalid_document`.
 */
export function toGraphQLError(
  error: GraphQLError,
  requestId: string,
  hideSuggestions: boolean,
  speak: () => Words,
): { shown: GraphQLError; logged?: GatehouseError } {
  const origin = originOf(error);
  if (origin instanceof GraphQLError) return { shown: invalidDocument(error, origin, hideSuggestions) };
  const cause = toGatehouseError(origin, requestId).withPaths(camelCase);
  const { code, retryAfterSeconds, attemptsRemaining, maxAgeSeconds, stepUp } = cause;
  const words = speak();
  const errors = cause.errorsIn(words);
  const headers = problemHeaders(cause);
  delete headers['WWW-Authenticate'];
  const shown = new GraphQLError(cause.detailIn(words), {
    nodes: error.nodes,
    path: error.path,
    extensions: {
      code,
      status: statusOf(code),
      ...(errors && { errors }),
      ...(retryAfterSeconds !== undefined && { retryAfter: Math.ceil(retryAfterSeconds) }),
      ...(attemptsRemaining !== undefined && { attemptsRemaining }),
      ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }),
      ...(stepUp?.acrValues && { acrValues: stepUp.acrValues }),
      http: { headers },
    },
  });
  return { shown, logged: cause };
}

function invalidDocument(error: GraphQLError, origin: GraphQLError, hideSuggestions: boolean): GraphQLError {
  const { http = { status: 400, spec: true } } = origin.extensions as GraphQLErrorExtensions;
  const status = http.status ?? 400;
  // An error at a field: the document was executed nevertheless, and the response of an executed document has status 200.
  const isExecuted = error.path !== undefined;
  const code: ErrorCode = status === 405 ? 'method_not_allowed' : 'invalid_document';
  // For a variable, the message around the origin says which part of it is wrong.
  const place = placeInVariable(error.message);
  const whole = withoutValue(origin.message);
  const message = hideSuggestions ? withoutSuggestions(whole) : whole;
  return new GraphQLError(place ? `${place}: ${message}` : message, {
    nodes: error.nodes,
    positions: error.positions,
    source: error.source,
    path: error.path,
    extensions: { code, status, ...(!isExecuted && { http }) },
  });
}

/** Returns GraphQL's message about an invalid variable or argument without the value, which may hold a password. */
function withoutValue(message: string): string {
  return message
    .replace(/((?:has|got) invalid value) (?!at )[\s\S]*$/, '$1.')
    .replace(/, found: [\s\S]*$/, '.')
    .replace(/ Found: [\s\S]*$/, '')
    .replace(/(cannot represent [^:]{1,60}): [\s\S]*$/, '$1.');
}
