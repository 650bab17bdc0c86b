import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  locatedError,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { GraphQLContext } from './context.ts';
import { toOutput } from './releases.ts';

/** Marks a field whose value is read from its parent at once: without arguments, promise or context. */
export const readFromParent = { isReadFromParent: true } as const;

/** A document that needs more than a plan can do. */
export class Unplannable extends Error {}

/** Where a value is: the response names and list indexes that lead to it. */
interface Path {
  prev: Path | undefined;
  key: string | number;
}

/**
 * Turns a value, which is at a key behind a path, into what is sent. Throws where that is impossible. Most values are never
 * part of another's path, so a path is made of them only where one is needed.
 */
export type Complete = (
  value: unknown,
  prev: Path | undefined,
  key: Path['key'],
  errors: GraphQLError[],
) => unknown;

/** Reads a field of an object, which is at a path, as what is sent. */
type Read = (view: unknown, path: Path, errors: GraphQLError[]) => unknown;

/** Returns the fields of selection sets by their response names (GraphQL §6.3.2). */
export type Collect = (
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
) => Map<string, FieldNode[]>;

/** Returns the completer of a field's values, whatever they are. @throws {Unplannable} for a type that needs the executor */
export function completer(
  collect: Collect,
  type: GraphQLOutputType,
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Complete {
  const mustBe = isNonNullType(type);
  const complete = presentCompleter(collect, mustBe ? type.ofType : type, parent, nodes);
  const sentence = `Cannot return null for non-nullable field ${parent.name}.${nodes[0]!.name.value}.`;
  return (value, prev, key, errors) => {
    if (value instanceof Error) throw value;
    const completed = value == null ? null : complete(value, prev, key, errors);
    if (mustBe && completed === null) throw new Error(sentence);
    return completed;
  };
}

/** Returns the completer of values that are not null. */
function presentCompleter(
  collect: Collect,
  type: GraphQLOutputType,
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Complete {
  if (isLeafType(type)) return value => toOutput(type, value) ?? null;
  if (isListType(type)) return listCompleter(collect, type.ofType, parent, nodes);
  if (isObjectType(type)) return objectCompleter(collect, type, nodes);
  throw new Unplannable();
}

function listCompleter(
  collect: Collect,
  type: GraphQLOutputType,
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Complete {
  const complete = completer(collect, type, parent, nodes);
  const fail = failureAt(type, nodes);
  const sentence = `Expected Iterable, but did not find one for field "${parent.name}.${nodes[0]!.name.value}".`;
  return (value, prev, key, errors) => {
    if (!isIterable(value)) throw new Error(sentence);
    const path = { prev, key };
    return Array.from(value, (item, index) => {
      try {
        return complete(item, path, index, errors);
      } catch (thrown) {
        return fail(thrown, path, index, errors);
      }
    });
  };
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

function objectCompleter(collect: Collect, type: GraphQLObjectType, nodes: readonly FieldNode[]): Complete {
  const selected = collect(
    type,
    nodes.map(node => node.selectionSet),
  );
  // Objects without a prototype are slow, and in others this name is not a property.
  if (selected.has('__proto__')) throw new Unplannable();
  const fields = [...selected].map(([key, nodes]) => ({ key, read: readerOf(collect, type, key, nodes) }));
  return (value, prev, key, errors) => {
    const path = { prev, key };
    const object: Record<string, unknown> = {};
    for (const field of fields) object[field.key] = field.read(value, path, errors);
    return object;
  };
}

function readerOf(
  collect: Collect,
  parent: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
): Read {
  const { value: name } = nodes[0]!.name;
  if (name === TypeNameMetaFieldDef.name) return () => parent.name;
  const field: GraphQLField<unknown, GraphQLContext> = parent.getFields()[name]!;
  const { isReadFromParent } = field.extensions as Partial<typeof readFromParent>;
  if (!isReadFromParent) throw new Unplannable();
  const resolve = (field.resolve ?? ((view: Record<string, unknown>) => view[name])) as (
    view: unknown,
  ) => unknown;
  const complete = completer(collect, field.type, parent, nodes);
  const fail = failureAt(field.type, nodes);
  return (view, path, errors) => {
    try {
      return complete(resolve(view), path, key, errors);
    } catch (thrown) {
      return fail(thrown, path, key, errors);
    }
  };
}

/** Returns what to do where a value fails: the value is null; if it must not be, what it is a part of fails, too. */
function failureAt(type: GraphQLOutputType, nodes: readonly FieldNode[]) {
  const mustBe = isNonNullType(type);
  return (thrown: unknown, prev: Path, key: Path['key'], errors: GraphQLError[]): null => {
    const error = locatedError(thrown, nodes, keysOf({ prev, key }));
    if (mustBe) throw error;
    errors.push(error);
    return null;
  };
}

const keysOf = ({ prev, key }: Path): (string | number)[] => (prev ? [...keysOf(prev), key] : [key]);
