// The facts about every operation that the browser client has to know, read from the operations themselves.
import type { z } from 'zod';
import { isOfCookie } from '../../src/client/call.ts';
import { demandsOf, type Operation, routeSpecsOf } from '../../src/domain/operation.ts';
import { type Field, fieldsOf as fieldsOfOperations } from '../../src/graphql/field.ts';
import { inputFields } from '../../src/graphql/inputs.ts';
import { camelCase, capitalized } from '../../src/graphql/names.ts';
import { type Route, routesOf } from '../../src/rest/route.ts';
import { fieldsOf, itemOf, shapeOf } from '../../src/zod-shape.ts';
import { selectionOf } from './selections.ts';

/** One operation as the client calls it. */
export interface ClientOperation {
  name: string;
  summary: string;
  isForAnyone: boolean;
  /** Whether it takes a session, though it needs none. */
  takesSession: boolean;
  /** The module of the client that it is of; null for those that every client has. */
  module: ModuleName | null;
  method: string;
  /** Below the URL of the API; `:session_id?` may be left out. */
  path: string;
  /** Whether GraphQL has it among its queries. */
  isQuery: boolean;
  /** The GraphQL type of its input; empty if it takes none. */
  inputType: string;
  /** The names of a query's arguments and a bracket; empty if it has none. */
  arguments: string;
  /** The selection of its GraphQL field; empty for a scalar. */
  selection: string;
  /** The field of an item that a cursor of REST is made of, if the operation lists pages. */
  cursor: readonly string[] | undefined;
  /** Whether REST answers without content. */
  isEmpty: boolean;
  input: Record<string, z.core.$ZodType>;
  output: z.core.$ZodType;
}

/** The modules of the client, each with the description of its operations. */
export const modules = {
  administration: 'The operations of administration.',
  tokens: 'Access tokens for APIs.',
  apiKeys: 'API keys of the own account.',
} as const;
export type ModuleName = keyof typeof modules;

function moduleOf({ spec }: Operation): ModuleName | null {
  if (spec.access.kind === 'superuser') return 'administration';
  if (routeSpecsOf(spec).every(({ at }) => /^\w+ \/api-keys\b/.test(at))) return 'apiKeys';
  return spec.name === 'issueAccessToken' ? 'tokens' : null;
}

/** Returns every operation that both interfaces have, by name. */
export function clientOperations(operations: readonly Operation[]): ClientOperation[] {
  const routes = Map.groupBy(routesOf(operations), ({ operation }) => operation);
  return fieldsOfOperations(operations)
    .map(field => operationOf(field, pathOf(field.operation, routes.get(field.operation) ?? [])))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function operationOf(field: Field, route: Pick<Route, 'method' | 'path' | 'status'>): ClientOperation {
  const { kind, operation, cursor } = field;
  const { spec } = operation;
  const isEmpty = route.status === 204;
  if (isEmpty !== isOfCookie.test(spec.name))
    throw new Error(`The client knows operations without content by their names, and not ${spec.name}.`);
  const hasInput = Object.keys(inputFields(spec)).length > 0;
  const inputType = shapeOf(spec.input).meta.id ?? `${capitalized(spec.name)}Input`;
  return {
    name: spec.name,
    summary: spec.description ? `${spec.summary} ${spec.description}` : spec.summary,
    isForAnyone: spec.access.kind === 'anyone',
    takesSession: demandsOf(spec).takesSession === true,
    module: moduleOf(operation),
    method: route.method,
    isEmpty,
    path: route.path.replace(/:(\w+)/g, (_, parameter) => `:${camelCase(parameter)}`),
    isQuery: kind === 'query',
    inputType: kind === 'mutation' && hasInput ? inputType : '',
    arguments: kind === 'query' ? argumentsOf(spec.input, cursor) : '',
    selection: cursor ? pageSelection(spec.output) : selectionOf(spec.output),
    cursor,
    input: { ...fieldsOf(spec.input) },
    output: spec.output,
  };
}

/**
 * The names of a query's arguments, as a prefix of its selection. A connection has `first` for `limit`, and no `skip`. The
 * client derives their types from their names (`src/client/requests.ts`).
 */
function argumentsOf(input: z.core.$ZodType, cursor: readonly string[] | undefined): string {
  const names = Object.keys(fieldsOf(input) ?? {})
    .filter(name => !(cursor && name === 'skip'))
    .map(name => (cursor && name === 'limit' ? 'first' : camelCase(name)));
  return names.length > 0 ? `${names.join(' ')})` : '';
}

/** Of two routes of one operation, the longer one, whose last parameter may be left out. */
function pathOf({ spec }: Operation, routes: Pick<Route, 'method' | 'path' | 'status'>[]) {
  const [shortest, longest, ...more] = routes.toSorted((a, b) => a.path.length - b.path.length);
  if (!shortest) throw new Error(`${spec.name} has no route in REST.`);
  if (!longest) return shortest;
  const isPair = longest.path.startsWith(`${shortest.path}/:`) && longest.method === shortest.method;
  if (!isPair || more.length > 0)
    throw new Error(`${spec.name} has routes that the client cannot choose from.`);
  return { ...longest, path: `${longest.path}?` };
}

/** Asks for a page of a connection as REST answers it. */
function pageSelection(output: z.core.$ZodType): string {
  const { items, total, is_capped } = fieldsOf(output)!;
  const nodes = `items:nodes{${selectionOf(itemOf(items!)!)}}`;
  return `${nodes}pageInfo{hasMore:hasNextPage nextCursor:endCursor}${total ? 'total:totalCount' : ''}${is_capped ? ' isCapped' : ''}`;
}
