import type { ServerResponse } from 'node:http';
import { execute } from '@graphql-tools/executor';
import {
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { GatehouseError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { findOptional } from '../optional.ts';
import { logFailure, requestIdOf } from '../rest/answer.ts';
import { readJson } from '../rest/body.ts';
import { callerOf } from '../rest/caller.ts';
import { statusOf } from '../rest/problem.ts';
import { type HostRequest, queryOf } from '../rest/route.ts';
import type { GraphQLContext } from './context.ts';
import { toGraphQLError } from './errors.ts';
import { createKnownDocuments, type KnownDocuments } from './known-documents.ts';
import { boundedSize, parseBounded, refusal } from './limits.ts';

export interface ServerOptions {
  schema: GraphQLSchema;
  /** Where the host has mounted the door; the IDE's page calls it there. */
  endpoint: string;
  ide: boolean;
  introspection: boolean;
  logger: Logger;
}

/** Answers GraphQL over HTTP: one POST (or a GET for queries) in, one JSON answer out. */
export async function createGraphQLServer({ schema, endpoint, ide, introspection, logger }: ServerOptions) {
  const present = presenter(logger);
  // By the executor of the server package on the short way too: that of graphql itself makes and aborts a signal for
  // each call, which halves what a process serves.
  const known = createKnownDocuments({ schema, hideSuggestions: !introspection, execute, present });
  const yoga = createYoga<GraphQLContext>({
    schema,
    graphqlEndpoint: path,
    graphiql: ide && { endpoint, title: 'Gatehouse GraphiQL' },
    ...(ide && (await offlineIde())),
    landingPage: false,
    healthCheckEndpoint: `${path}/health`,
    batching: false,
    multipart: false,
    cors: false,
    logging: false,
    maskedErrors: false,
    // What passed is remembered by the short way; a memory of what did not would be filled by strangers alone.
    parserAndValidationCache: false,
    plugins: [bounds(introspection, known), errors(present)],
  });

  return async (req: HostRequest, res: ServerResponse): Promise<void> => {
    const context: GraphQLContext = { caller: callerOf(req), requestId: requestIdOf(req) };
    let body: string | undefined;
    try {
      if (!methods.includes(req.method ?? '')) {
        res.setHeader('Allow', 'GET, POST');
        throw new GatehouseError('method_not_allowed');
      }
      if (req.method === 'POST') {
        const value = await readJson(req);
        if (await known.serve(value, req.headers.accept, context, res)) return;
        body = toJson(value);
      } else {
        assertJson(new URLSearchParams(queryOf(req)));
      }
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      return refuse(req, res, error);
    }
    const response = await yoga.fetch(requestOf(req, body), context);
    const headers = Object.fromEntries(response.headers);
    res.writeHead(response.status, {
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    });
    res.end(await response.text());
  };
}

/** @throws {GatehouseError} bad_json, when the value is nested deeper than there is stack for it. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new GatehouseError('bad_json', { detail: 'The body is nested too deeply.', cause });
  }
}

/** Looks at what a GET says in JSON. @throws {GatehouseError} bad_json, which the server package would take for a defect */
function assertJson(query: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    try {
      JSON.parse(query.get(name) || 'null');
    } catch (cause) {
      throw new GatehouseError('bad_json', { detail: `The ${name} are not valid JSON.`, cause });
    }
  }
}

/** What GraphQL over HTTP knows. */
const methods = ['GET', 'HEAD', 'POST'];

/** Yoga's own path; the host's prefix never reaches it. */
const path = '/graphql';

function requestOf(req: HostRequest, body: string | undefined): Request {
  const headers = new Headers();
  // One document, one answer: neither a stream of events nor one in parts.
  const accept = req.headers.accept?.replace(/text\/event-stream|multipart\/mixed/gi, 'application/json');
  if (accept !== undefined) headers.set('accept', accept);
  if (body !== undefined) headers.set('content-type', 'application/json');
  return new Request(`http://internal.invalid${path}${queryOf(req)}`, {
    method: req.method ?? 'GET',
    headers,
    body,
  });
}

/** A body that can't be read, in the shape that GraphQL clients understand. */
function refuse(req: HostRequest, res: ServerResponse, error: GatehouseError): void {
  const status = statusOf(error.code);
  const wantsNewType = req.headers.accept?.includes('application/graphql-response+json');
  const body = { errors: [{ message: error.message, extensions: { code: error.code, status } }] };
  res.writeHead(status, {
    'Cache-Control': 'no-store',
    'Content-Type': `application/${wantsNewType ? 'graphql-response+json' : 'json'}; charset=utf-8`,
    ...(error.kind === 'too_large' && { Connection: 'close' }),
  });
  res.end(JSON.stringify(body));
}

/** Keeps documents within the limits, and what the schema holds to itself unless introspection is on. */
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
  (logger: Logger) =>
  (errors: readonly GraphQLError[], { requestId }: GraphQLContext): GraphQLError[] =>
    errors.map(error => {
      const { shown, logged } = toGraphQLError(error, requestId);
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

/** The IDE from a package, where it is installed; else its page loads it from a public host. */
async function offlineIde() {
  const found = await findOptional(
    '@graphql-yoga/render-graphiql',
    () => import('@graphql-yoga/render-graphiql'),
  );
  return found && { renderGraphiQL: found.renderGraphiQL };
}
