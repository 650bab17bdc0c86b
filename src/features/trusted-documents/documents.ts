import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from 'graphql';
import { GatehouseError } from '../../errors.ts';
import type { DocumentFilter } from '../../graphql/document-filter.ts';
import { boundedSize, parseBounded } from '../../graphql/limits.ts';
import { type Said, say } from '../../words/said.ts';

interface TrustedDocumentsParts {
  /** The documents of the host's manifest, by the SHA-256 of their texts in hex. */
  manifest: ReadonlyMap<string, string>;
  /** The documents of the bundled pages, which send them in full. */
  own: ReadonlySet<string>;
  /** Whether documents that only introspect the schema are executed, too. */
  introspection: boolean;
}

/** Returns what lets only trusted documents pass (CONTRACT §9, `graphql_trusted_documents`). */
export function createTrustedDocuments({
  manifest,
  own,
  introspection,
}: TrustedDocumentsParts): DocumentFilter {
  /** @throws {GatehouseError} invalid_document */
  function textOf(id: unknown, query: unknown): string {
    if (id === undefined) {
      if (typeof query === 'string' && (own.has(query) || (introspection && isIntrospection(query))))
        return query;
      throw refusal(say('error_document_untrusted'));
    }
    const text = typeof id === 'string' ? manifest.get(id.replace(/^sha256:/, '').toLowerCase()) : undefined;
    if (text === undefined) throw refusal(say('error_document_unknown'));
    if (query !== undefined && query !== text) throw refusal(say('error_document_other'));
    return text;
  }

  /**
   * Returns the call with the text of the trusted document that it names, by `documentId` or by Apollo's
   * `extensions.persistedQuery`. A body that is no call is returned as it is: the server package refuses it.
   * @throws {GatehouseError} invalid_document
   */
  function resolve(call: unknown): unknown {
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return call;
    const { documentId, query, variables, operationName, extensions } = call as Record<string, unknown>;
    const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } | null };
    const id = documentId ?? (persistedQuery ? (persistedQuery.sha256Hash ?? null) : undefined);
    return {
      query: textOf(id, query ?? undefined),
      ...(variables != null && { variables }),
      ...(operationName != null && { operationName }),
    };
  }

  return {
    resolve,

    resolveQuery(query) {
      const given = new URLSearchParams(query);
      const text = (name: string) => given.get(name) || undefined;
      const extensions = text('extensions');
      const call = {
        documentId: text('documentId'),
        query: text('query'),
        extensions: extensions && JSON.parse(extensions),
      };
      if (!Object.values(call).some(Boolean)) return '';
      const resolved = new URLSearchParams({ query: (resolve(call) as { query: string }).query });
      for (const name of ['variables', 'operationName']) {
        const value = text(name);
        if (value !== undefined) resolved.set(name, value);
      }
      return `?${resolved}`;
    },
  };
}

const refusal = (detail: Said) => new GatehouseError('invalid_document', { detail });

/** Returns whether every operation of a document asks for the schema alone. */
function isIntrospection(text: string): boolean {
  const document = parsed(text);
  if (typeof document === 'string') return false;
  const operations = document.definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION);
  return operations.every(({ selectionSet }) =>
    selectionSet.selections.every(
      selection => selection.kind === Kind.FIELD && /^__(schema|type|typename)$/.test(selection.name.value),
    ),
  );
}

/** Returns the document, or why it cannot be read. */
function parsed(text: string): DocumentNode | string {
  try {
    return parseBounded(text);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the documents that cannot be executed, each with its hash and the reason. */
export function documentProblems(
  schema: GraphQLSchema,
  { manifest, introspection }: Pick<TrustedDocumentsParts, 'manifest' | 'introspection'>,
): { hash: string; message: string }[] {
  const rules = [...specifiedRules, boundedSize, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  return [...manifest].flatMap(([hash, text]) => {
    const document = parsed(text);
    if (typeof document === 'string') return [{ hash, message: document }];
    const [error] = validate(schema, document, rules);
    return error ? [{ hash, message: error.message }] : [];
  });
}
