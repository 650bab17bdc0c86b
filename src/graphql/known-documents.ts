import type {
  DocumentNode,
  ExecutionResult,
  GraphQLError,
  GraphQLErrorExtensions,
  GraphQLSchema,
} from 'graphql';
import type { HttpResponse } from '../http/message.ts';
import { apiHeaders } from '../http/response.ts';
import { RecentMap } from '../recent-map.ts';
import type { GraphQLContext } from './context.ts';
import { type Plan, planOf } from './plan.ts';

/** The number is bounded, because clients choose the size of documents (denial of service). */
const rememberedDocuments = 100;

interface KnownDocumentsParts {
  schema: GraphQLSchema;
  /** Returns the errors as they are sent. */
  present: (errors: readonly GraphQLError[], context: GraphQLContext) => readonly GraphQLError[];
}

export type KnownDocuments = ReturnType<typeof createKnownDocuments>;

/**
 * The fast path for the most frequent requests: a POST with plain JSON as response and a document that was parsed,
 * validated and found within the limits before, and that has a plan. The general path, through the server package, takes
 * five times as long; it serves all other requests, and every document the first time.
 */
export function createKnownDocuments({ schema, present }: KnownDocumentsParts) {
  /** Null for a document that has no plan. */
  const plans = new RecentMap<string, Plan | null>(rememberedDocuments);

  return {
    /** Remembers a document that passed every rule. */
    add(text: string, document: DocumentNode): void {
      if (plans.get(text) === undefined) plans.set(text, planOf(schema, document));
    },

    /**
     * Executes the request and returns the response, or null: then nothing has been executed, and the general path must
     * serve it.
     */
    async serve(
      body: unknown,
      accept: string | undefined,
      context: GraphQLContext,
    ): Promise<HttpResponse | null> {
      const contentType = plainTypeOf(accept);
      const call = callOf(body);
      if (!contentType || !call) return null;
      const plan = plans.get(call.query);
      // The general path reports that there is no operation of this name.
      if (!plan?.serves(call.operationName)) return null;
      const result = await plan.execute(context, call.variables);
      if (!('data' in result)) return null;
      const errors = result.errors && present(result.errors, context);
      return responseOf(contentType, errors ? { ...result, errors } : result);
    },
  };
}

/** Returns the content type of the response if a client accepts anything, or names one of the two types first. */
function plainTypeOf(accept = '*/*'): string | null {
  if (accept === '*/*') return 'application/json; charset=utf-8';
  const type = /^application\/(?:graphql-response\+)?json(?=,|$)/.exec(accept)?.[0];
  return type ? `${type}; charset=utf-8` : null;
}

interface Call {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string | undefined;
}

/** Returns the body as a call of a document, if it is exactly that. */
function callOf(body: unknown): Call | null {
  const { query, variables, operationName, ...rest } = (body ?? {}) as Record<string, unknown>;
  const isCall =
    typeof query === 'string' &&
    (variables == null || (typeof variables === 'object' && !Array.isArray(variables))) &&
    (operationName == null || typeof operationName === 'string') &&
    Object.keys(rest).length === 0;
  return isCall
    ? ({ query, variables: variables ?? {}, operationName: operationName ?? undefined } as Call)
    : null;
}

/** Returns a response with status 200, the status of every executed document, whatever its fields return. */
function responseOf(contentType: string, { data, errors }: ExecutionResult): HttpResponse {
  const headers: Record<string, string> = {};
  const shown = errors?.map(error => {
    const { http, ...extensions } = error.extensions as GraphQLErrorExtensions;
    Object.assign(headers, http?.headers);
    return { ...error.toJSON(), extensions };
  });
  const text = JSON.stringify(shown ? { errors: shown, data } : { data });
  return { status: 200, headers: { ...apiHeaders(text, contentType), ...headers }, body: text };
}
