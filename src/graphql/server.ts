import {
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import { GatehouseError } from '../errors.ts';
import { languageHeader } from '../http/answer.ts';
import { callerOf } from '../http/caller.ts';
import type { HttpRequest, HttpResponse } from '../http/message.ts';
import { statusOf } from '../http/problem.ts';
import { apiHeaders, logFailure } from '../http/response.ts';
import type { Logger } from '../logger.ts';
import { findOptional, lackOf } from '../optional.ts';
import { say } from '../words/said.ts';
import { english } from '../words/words.ts';
import type { GraphQLContext } from './context.ts';
import type { DocumentFilter } from './document-filter.ts';
import { toGraphQLError } from './errors.ts';
import { createKnownDocuments, type KnownDocuments } from './known-documents.ts';
import { boundedSize, parseBounded, refusal } from './limits.ts';

export interface ServerOptions {
  schema: GraphQLSchema;
  /** Where the host application has mounted GraphQL; the IDE's page calls it there. */
  endpoint: string;
  ide: boolean;
  introspection: boolean;
  /** Decides which documents are executed; absent for any. */
  filter: DocumentFilter | undefined;
  logger: Logger;
}

/** The facts about a request that the general path knows beside a resolver's. */
interface ServerContext extends GraphQLContext {
  /** The JSON value of a POST. */
  body: unknown;
}

/** Returns a handler for GraphQL over HTTP: one POST (or a GET for queries), one JSON response. */
export async function createGraphQLServer(options: ServerOptions) {
  const { schema, endpoint, ide, introspection, filter, logger } = options;
  const present = presenter(logger, !introspection);
  const known = createKnownDocuments({ schema, present });
  const yoga = createYoga<ServerContext>({
    schema,
    graphqlEndpoint: path,
    graphiql: ide && { endpoint, title: 'Gatehouse GraphiQL' },
    ...(ide && { renderGraphiQL: await installedIde() }),
    landingPage: false,
    healthCheckEndpoint: `${path}/health`,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    // Plans are kept of valid documents; only hostile clients would fill a memory of invalid ones.
    parserAndValidationCache: false,
    plugins: [parsedBody, bounds(introspection, known), errors(present)],
  });

  return async (request: HttpRequest): Promise<HttpResponse> => {
    const context: GraphQLContext = { caller: Object.assign(callerOf(request), { document: {} }) };
    let body: unknown;
    let { query } = request;
    try {
      if (!methods.includes(request.method)) throw new GatehouseError('method_not_allowed');
      if (request.method === 'POST') {
        body = await request.json();
        if (isDeeper(body, nesting))
          throw new GatehouseError('bad_json', { detail: say('error_body_nested') });
        if (filter) body = filter.resolve(body);
        const response = await known.serve(body, request.headers.accept, context);
        if (response) return { ...response, headers: { ...response.headers, ...languageHeader(request) } };
      } else {
        assertJson(new URLSearchParams(query));
        if (filter) query = filter.resolveQuery(query);
      }
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      return refuse(request, error);
    }
    const response = await yoga.fetch(toFetchRequest(request, query), { ...context, body });
    const text = await response.text();
    const headers = {
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...Object.fromEntries(response.headers),
      ...languageHeader(request),
    };
    return { status: response.status, headers, body: text };
  };
}

/** How many levels a body may have; no input has as many as ten. */
const nesting = 1000;

/** Returns whether a value has more levels than that. Its own recursion ends there, too. */
const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(each => isDeeper(each, levels - 1)));

/**
 * Checks the JSON in the query of a GET. @throws {GatehouseError} bad_json, which the server package would treat as an
 * internal error
 */
function assertJson(query: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    try {
      JSON.parse(query.get(name) || 'null');
    } catch (cause) {
      throw new GatehouseError('bad_json', { detail: say('error_json_parameter', { name }), cause });
    }
  }
}

/** The methods of GraphQL over HTTP. */
const methods = ['GET', 'HEAD', 'POST'];

/** Yoga's own path; it never receives the host application's prefix. */
const path = '/graphql';

/** Returns the request with this query, and without its body, which has been read. */
function toFetchRequest({ method, headers }: HttpRequest, query: string): Request {
  const own = new Headers();
  // One document, one response: neither a stream of events nor a multipart response.
  const accept = headers.accept?.replace(/text\/event-stream|multipart\/mixed/gi, 'application/json');
  if (accept !== undefined) own.set('accept', accept);
  return new Request(`http://internal.invalid${path}${query}`, { method, headers: own });
}

/** Returns the response to a request that cannot be read, in the form that GraphQL clients understand. */
function refuse(request: HttpRequest, error: GatehouseError): HttpResponse {
  const { accept } = request.headers;
  const status = statusOf(error.code);
  const type = `application/${accept?.includes('application/graphql-response+json') ? 'graphql-response+json' : 'json'}`;
  const text = JSON.stringify({
    errors: [{ message: error.detailIn(request.speak()), extensions: { code: error.code, status } }],
  });
  const headers = {
    ...apiHeaders(text, `${type}; charset=utf-8`),
    ...languageHeader(request),
    ...(error.kind === 'method_not_allowed' && { Allow: 'GET, POST' }),
    ...(error.kind === 'too_large' && { Connection: 'close' }),
  };
  return { status, headers, body: text };
}

/** The server package gets the body as it was parsed here. */
const parsedBody: Plugin<object, ServerContext> = {
  onRequestParse({ request, setRequestParser, serverContext }) {
    if (request.method === 'POST') setRequestParser(() => serverContext.body as GraphQLParams);
  },
};

/** Keeps documents within the limits, and hides the contents of the schema unless introspection is on. */
function bounds(introspection: boolean, known: KnownDocuments): Plugin {
  const hideSuggestions = !introspection;
  return {
    onParse: ({ setParseFn }) => setParseFn(parseBounded),
    onValidate({ addValidationRule, setValidationFn }) {
      setValidationFn(((schema, document, rules) =>
        validate(schema, document, rules, { hideSuggestions })) as typeof validate);
      addValidationRule(boundedSize);
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onExecute({ args, setResultAndStopExecution }) {
      Object.assign(args, { hideSuggestions });
      const errors = refusal(args as ExecutionArgs, hideSuggestions);
      if (errors) setResultAndStopExecution({ errors });
      else if (args.contextValue.params.query) known.add(args.contextValue.params.query, args.document);
    },
  };
}

/** Gives every error the code of the REST interface, and logs what an operator must see. */
const presenter =
  (logger: Logger, hideSuggestions: boolean) =>
  (errors: readonly GraphQLError[], { caller: { requestId, reply } }: GraphQLContext): GraphQLError[] =>
    errors.map(error => {
      const { shown, logged } = toGraphQLError(
        error,
        requestId,
        hideSuggestions,
        () => reply?.speak?.() ?? english,
      );
      if (logged) logFailure(logged, requestId, logger);
      return shown;
    });

function errors(present: ReturnType<typeof presenter>): Plugin<object, GraphQLContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || !('errors' in result) || !result.errors) return;
      setResult({ ...result, errors: present(result.errors, serverContext) });
    },
  };
}

const idePackage = '@graphql-yoga/render-graphiql';

/**
 * Returns what makes the page of the IDE. The session's token lies in the storage of this origin, so the page loads no script
 * of another one: without the package it says how to install it.
 */
async function installedIde(): Promise<() => string> {
  const found = await findOptional(idePackage, () => import('@graphql-yoga/render-graphiql'));
  return (
    found?.renderGraphiQL ??
    (() => `<!doctype html>
<html lang="en">
<title>Gatehouse GraphiQL</title>
<p>${lackOf(idePackage, 'GraphiQL')}</p>
</html>
`)
  );
}
