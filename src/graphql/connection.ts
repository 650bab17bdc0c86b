import { cursorOf } from '../contract/cursors.ts';
import { longestPage } from '../contract/inputs/admin.ts';
import { usualPage } from '../domain/pages.ts';
import { GatehouseError } from '../errors.ts';
import type { Builder } from './builder.ts';
import { readFromParent } from './completion.ts';
import type { Output } from './outputs.ts';

/** The result of a list operation; `has_more` says whether another page follows. */
interface Page {
  items: readonly object[];
  /** Absent where it is not counted. */
  total?: number;
  /** Whether there may be more than were looked at. */
  is_capped?: boolean;
  has_more: boolean;
}

/** A page with cursors (GraphQL Cursor Connections Specification). */
interface Connection extends Page {
  cursorOf: (item: object) => string;
}

/** An item of a page; its cursor is made when it is asked for. */
interface Edge extends Pick<Connection, 'cursorOf'> {
  item: object;
}

const extensions = readFromParent;

export type Connections = ReturnType<typeof createConnections>;

/** Returns a maker of the connection types of a schema; all of them share one `PageInfo`. */
export function createConnections(builder: Builder) {
  const makePageInfo = () =>
    builder.objectRef<Connection>('PageInfo').implement({
      description: 'Where a page begins and ends, and whether another one follows.',
      fields: t => ({
        hasNextPage: t.exposeBoolean('has_more', {
          description: 'Whether another page follows.',
          extensions,
        }),
        hasPreviousPage: t.boolean({
          description: 'Always false: a connection is read forward only.',
          extensions,
          resolve: () => false,
        }),
        startCursor: t.string({
          description: 'The cursor of the first item; null on an empty page.',
          nullable: true,
          extensions,
          resolve: connection => cursorAt(connection, 0),
        }),
        endCursor: t.string({
          description: 'The cursor of the last item, for `after`; null on an empty page.',
          nullable: true,
          extensions,
          resolve: connection => cursorAt(connection, -1),
        }),
      }),
    });

  let pageInfo: ReturnType<typeof makePageInfo> | undefined;

  return {
    /** Returns the type `<Name>Connection` over a node type; a list that is not counted has no `totalCount`. */
    typeOf(name: string, node: Output, isCounted: boolean, isCapped: boolean) {
      const type = node as 'String';
      pageInfo ??= makePageInfo();
      const PageInfo = pageInfo;
      const Edge = builder.objectRef<Edge>(`${name}Edge`).implement({
        description: 'An item of a page, and its cursor.',
        fields: t => ({
          node: t.field({ type, description: 'The item.', extensions, resolve: edge => edge.item as never }),
          cursor: t.string({
            description: 'The place of the item in the list, for `after`.',
            extensions,
            resolve: ({ item, cursorOf }) => cursorOf(item),
          }),
        }),
      });
      return builder.objectRef<Connection>(`${name}Connection`).implement({
        description: 'A page of a list (GraphQL Cursor Connections Specification).',
        fields: t => ({
          edges: t.field({
            type: [Edge],
            description: 'The items of the page, each with its cursor.',
            complexity: { multiplier: 1 },
            extensions,
            resolve: ({ items, cursorOf }) => items.map(item => ({ item, cursorOf })),
          }),
          nodes: t.field({
            type: [type],
            description: 'The items of the page.',
            complexity: { multiplier: 1 },
            extensions,
            resolve: ({ items }) => items as never,
          }),
          pageInfo: t.field({
            type: PageInfo,
            description: 'Where the page begins and ends.',
            extensions,
            resolve: connection => connection,
          }),
          ...(isCounted && {
            totalCount: t.int({
              extensions,
              description:
                'How many there are, on every page together. Counting stops at 10,000, with a search at 1,000.',
              resolve: ({ total }) => total!,
            }),
          }),
          ...(isCapped && {
            isCapped: t.boolean({
              nullable: true,
              extensions,
              description:
                'With `isLocked`: whether more accounts may be locked than the 1,000 newest, which are looked at.',
              resolve: ({ is_capped }) => is_capped ?? null,
            }),
          }),
        }),
      });
    },
  };
}

function cursorAt({ items, cursorOf }: Connection, index: number): string | null {
  const item = items.at(index);
  return item === undefined ? null : cursorOf(item);
}

/** Returns the cost of a connection, which grows with the requested page size. */
export const pageCost = ({ first }: { first?: unknown }) => ({
  field: 1,
  multiplier: typeof first === 'number' ? Math.min(Math.max(first, 1), longestPage) : usualPage,
});

/**
 * Calls a list operation with the arguments of a connection, and returns its page with cursors.
 * @throws {GatehouseError} invalid_input, with the argument's own name
 */
export async function connect(
  { first, after, ...rest }: Record<string, unknown>,
  cursor: readonly string[],
  list: (input: object) => Promise<unknown>,
): Promise<Connection> {
  try {
    const page = (await list({ ...rest, limit: first, after })) as Page;
    return {
      ...page,
      cursorOf: item => cursorOf(...cursor.map(member => String((item as Record<string, unknown>)[member]))),
    };
  } catch (error) {
    // The service's name of the field, and its name in a connection.
    throw error instanceof GatehouseError
      ? error.withPaths(path => (path === 'limit' ? 'first' : path))
      : error;
  }
}
