import type { ServerResponse } from 'node:http';
import type { execute } from '@graphql-tools/executor';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLErrorExtensions,
  type GraphQLSchema,
  Kind,
} from 'graphql';
import { RecentMap } from './cache.ts';
import type { GraphQLContext } from './context.ts';
import { refusal } from './limits.ts';

/** Their number is bounded, as a stranger chooses their size. */
const rememberedDocuments = 100;

interface KnownDocumentsParts {
  schema: GraphQLSchema;
  hideSuggestions: boolean;
  /** The executor of the long way. */
  execute: typeof execute;
  /** The errors as they leave. */
  present: (errors: readonly GraphQLError[], context: GraphQLContext) => readonly GraphQLError[];
}

interface Known {
  document: DocumentNode;
  /** Whether its cost was settled when it was added. */
  costsTheSame: boolean;
}

export type KnownDocuments = ReturnType<typeof createKnownDocuments>;

/**
 * The short way for what most clients send most of the time: by POST, with plain JSON for an answer, a document that
 * was parsed, validated and found within the bounds before. The long way, through the server package, takes five
 * times as long; it serves all else, and every document the first time.
 */
export function createKnownDocuments({ schema, hideSuggestions, execute, present }: KnownDocumentsParts) {
  const documents = new RecentMap<string, Known>(rememberedDocuments);

  return {
    /** A document that passed every rule. */
    add: (text: string, document: DocumentNode) =>
      documents.set(text, { document, costsTheSame: costsTheSame(document) }),

    /** Executes the request and answers it, or says false: then nothing has happened, and the long way is due. */
    async serve(
      body: unknown,
      accept: string | undefined,
      context: GraphQLContext,
      res: ServerResponse,
    ): Promise<boolean> {
      const contentType = plainTypeOf(accept);
      const call = contentType && callOf(body);
      const known = call && documents.get(call.query);
      if (!known) return false;
      const { document, costsTheSame } = known;
      const args = {
        ...{ schema, document, contextValue: context, hideSuggestions },
        ...{ variableValues: call.variables, operationName: call.operationName },
      };
      if (!costsTheSame && refusal(args, hideSuggestions)) return false;
      const result = await execute(args);
      // An operation that is not there: no field was begun.
      if (!('data' in result)) return false;
      write(
        res,
        contentType,
        result.errors ? { ...result, errors: present(result.errors, context) } : result,
      );
      return true;
    },
  };
}

/** Only the choice of an operation, and variables, change what a document costs. */
function costsTheSame({ definitions }: DocumentNode): boolean {
  const operations = definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION);
  return operations.length === 1 && !operations[0]?.variableDefinitions?.length;
}

/** The type of the answer where a client accepts anything, or names one of the two types first. */
function plainTypeOf(accept = '*/*'): string | null {
  if (accept === '*/*') return 'application/json; charset=utf-8';
  const type = /^application\/(?:graphql-response\+)?json(?=,|$)/.exec(accept)?.[0];
  return type ? `${type}; charset=utf-8` : null;
}

interface Call {
  query: string;
  variables?: Record<string, unknown> | undefined;
  operationName?: string | undefined;
}

/** The body as a call of a document, where it is exactly that. */
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

/** A document that executes answers 200, whatever its fields say. */
function write(res: ServerResponse, contentType: string, { data, errors }: ExecutionResult): void {
  const headers: Record<string, string> = {};
  const shown = errors?.map(error => {
    const { http, ...extensions } = error.extensions as GraphQLErrorExtensions;
    Object.assign(headers, http?.headers);
    return { ...error.toJSON(), extensions };
  });
  const text = JSON.stringify(shown ? { data, errors: shown } : { data });
  res.writeHead(200, {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  res.end(text);
}
