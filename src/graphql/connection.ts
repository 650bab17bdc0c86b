import type { ObjectRef } from '@pothos/core';
import { GatehouseError } from '../errors.ts';
import { longestPage } from '../inputs/admin.ts';
import type { Builder } from './builder.ts';

/** One page behind a cursor, with how many there are in all (GraphQL Cursor Connections Specification). */
export interface Connection<T> {
  nodes: T[];
  totalCount: number;
  hasNextPage: boolean;
  cursorOf: (node: T) => string;
}

/** What a service's list answers. */
interface Page<T> {
  items: T[];
  total: number;
  limit: number;
}

/** The type `<Name>Connection` over a node type. */
export function connectionType<T extends object>(builder: Builder, name: string, node: ObjectRef<never, T>) {
  const PageInfo = pageInfoOf(builder);
  const Edge = builder.objectRef<{ node: T; cursor: string }>(`${name}Edge`).implement({
    fields: t => ({
      node: t.field({ type: node as never, resolve: edge => edge.node as never }),
      cursor: t.exposeString('cursor'),
    }),
  });
  return builder.objectRef<Connection<T>>(`${name}Connection`).implement({
    fields: t => ({
      edges: t.field({
        type: [Edge],
        complexity: { multiplier: 1 },
        resolve: ({ nodes, cursorOf }) => nodes.map(item => ({ node: item, cursor: cursorOf(item) })),
      }),
      nodes: t.field({
        type: [node as never],
        complexity: { multiplier: 1 },
        resolve: ({ nodes }) => nodes as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        resolve: connection => connection as unknown as Connection<never>,
      }),
      totalCount: t.exposeInt('totalCount', {
        description:
          'How many there are, on every page together. Beyond 10,000 it may be ten seconds old; a search counts to 10,000.',
      }),
    }),
  });
}

const pageInfoTypes = new WeakMap<Builder, ReturnType<typeof makePageInfo>>();

function pageInfoOf(builder: Builder) {
  const made = pageInfoTypes.get(builder) ?? makePageInfo(builder);
  pageInfoTypes.set(builder, made);
  return made;
}

function makePageInfo(builder: Builder) {
  const cursorAt = ({ nodes, cursorOf }: Connection<never>, index: number) => {
    const node = nodes.at(index);
    return node === undefined ? null : cursorOf(node);
  };
  return builder.objectRef<Connection<never>>('PageInfo').implement({
    fields: t => ({
      hasNextPage: t.exposeBoolean('hasNextPage'),
      // Paging goes forward only.
      hasPreviousPage: t.boolean({ resolve: () => false }),
      startCursor: t.string({ nullable: true, resolve: connection => cursorAt(connection, 0) }),
      endCursor: t.string({ nullable: true, resolve: connection => cursorAt(connection, -1) }),
    }),
  });
}

/** The cost of a connection grows with the page that is asked for. */
export const pageCost = (args: { first?: number | null }) => ({
  field: 1,
  multiplier: Math.min(Math.max(args.first ?? 50, 1), longestPage),
});

/**
 * Asks a service for one item more than wanted, to know whether another page follows.
 * @throws {GatehouseError} invalid_input, with the argument's own name
 */
export async function connect<T>(
  args: { first?: number | null; after?: string | null },
  keyOf: (node: T) => string,
  list: (input: { limit?: number | null; after?: string | null }) => Promise<Page<T>>,
): Promise<Connection<T>> {
  const { first, after, ...who } = args;
  try {
    const page = await list({ ...who, limit: first, after: after == null ? null : decode(after) });
    const last = page.items.at(-1);
    const rest =
      last && page.items.length === page.limit ? await list({ ...who, limit: 1, after: keyOf(last) }) : null;
    return {
      nodes: page.items,
      totalCount: page.total,
      hasNextPage: (rest?.items.length ?? 0) > 0,
      cursorOf: node => encode(keyOf(node)),
    };
  } catch (error) {
    throw renamed(error);
  }
}

/** The service calls it `limit`, this door `first`. */
function renamed(error: unknown): unknown {
  if (!(error instanceof GatehouseError) || !error.errors) return error;
  const errors = error.errors.map(e => (e.path === 'limit' ? { ...e, path: 'first' } : e));
  return new GatehouseError(error.code, { errors });
}

const encode = (key: string) => Buffer.from(key).toString('base64url');

function decode(cursor: string): string {
  const key = Buffer.from(cursor, 'base64url').toString();
  if (encode(key) === cursor) return key;
  throw new GatehouseError('invalid_input', { errors: [{ path: 'after', message: 'is not a cursor' }] });
}
