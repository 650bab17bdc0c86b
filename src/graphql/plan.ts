import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { GraphQLContext } from './context.ts';

/** Marks a field whose value is read from its parent at once: without arguments, promise or context. */
export const readFromParent = { isReadFromParent: true } as const;

/**
 * Does what a field of an operation does, and admits the caller first: as its resolver and its scopes do, in one step. The
 * operation decides in both.
 */
export type Operate = (args: Record<string, unknown>, context: GraphQLContext) => Promise<unknown>;

type Variables = Record<string, unknown>;

/** How one document is executed, with the same result as by the executor. */
export interface Plan {
  /** Returns whether this is the operation that a request names, or the only one there is. */
  serves(operationName: string | undefined): boolean;
  execute(context: GraphQLContext, variables: Variables): Promise<ExecutionResult>;
}

/** Where a value is: the response names and list indexes that lead to it. */
interface Path {
  prev: Path | undefined;
  key: string | number;
}

/** Turns what a resolver has returned into what is sent. Throws where that is impossible. */
type Complete = (value: unknown, path: Path, errors: GraphQLError[]) => unknown;

/** A field of the operation: resolved once a call. */
type Root = (context: GraphQLContext, variables: Variables, errors: GraphQLError[]) => Promise<unknown>;

/** A document that needs more than a plan can do. */
class Unplannable extends Error {}

/**
 * Returns the plan of a valid document, or null where only the executor serves it: with directives, introspection, unions,
 * or fields that need more than their parent. A plan collects the fields and looks up their types once, not at each call.
 */
export function planOf(schema: GraphQLSchema, document: DocumentNode): Plan | null {
  try {
    return createPlan(schema, document);
  } catch (error) {
    if (error instanceof Unplannable) return null;
    throw error;
  }
}

function createPlan(schema: GraphQLSchema, document: DocumentNode): Plan {
  const [operation, ...others] = document.definitions.filter(each => each.kind === Kind.OPERATION_DEFINITION);
  if (!operation || others.length > 0) throw new Unplannable();
  const type = schema.getRootType(operation.operation);
  if (!type) throw new Unplannable();
  const collect = collector(document);
  const planner = { schema, operation, collect };
  const fields = [...collect(type, [operation.selectionSet])].map(
    ([key, nodes]) => [key, rootOf(planner, type, key, nodes)] as const,
  );
  const isSerial = operation.operation === 'mutation';

  async function execute(context: GraphQLContext, variables: Variables): Promise<ExecutionResult> {
    const errors: GraphQLError[] = [];
    const values: unknown[] = [];
    // Mutations run one after another (GraphQL §6.2.2).
    if (isSerial) for (const [, root] of fields) values.push(await root(context, variables, errors));
    else if (fields.length === 1) values.push(await fields[0]![1](context, variables, errors));
    else values.push(...(await Promise.all(fields.map(([, root]) => root(context, variables, errors)))));
    const data: Record<string, unknown> = Object.create(null);
    fields.forEach(([key], index) => {
      data[key] = values[index];
    });
    return errors.length > 0 ? { data, errors } : { data };
  }

  return { serves: name => name === undefined || name === operation.name?.value, execute };
}

interface Planner {
  schema: GraphQLSchema;
  operation: OperationDefinitionNode;
  collect: ReturnType<typeof collector>;
}

/** Returns a function that collects the fields of selection sets by their response names (GraphQL §6.3.2). */
function collector({ definitions }: DocumentNode) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);

  return function collect(
    type: GraphQLObjectType,
    sets: readonly (SelectionSetNode | undefined)[],
    found = new Map<string, FieldNode[]>(),
  ): Map<string, FieldNode[]> {
    for (const selection of sets.flatMap(set => set?.selections ?? [])) {
      if (selection.directives?.length) throw new Unplannable();
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        found.set(key, [...(found.get(key) ?? []), selection]);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)! : selection;
      // In a valid document, a fragment of another type belongs to a union.
      if (fragment.directives?.length || (fragment.typeCondition?.name.value ?? type.name) !== type.name)
        throw new Unplannable();
      collect(type, [fragment.selectionSet], found);
    }
    return found;
  };
}

function rootOf(planner: Planner, parent: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): Root {
  const { schema, operation } = planner;
  const node = nodes[0]!;
  const field = parent.getFields()[node.name.value];
  // Introspection; and only a field that may be null ends what fails in it.
  if (!field || isNonNullType(field.type)) throw new Unplannable();
  const { operate } = field.extensions as { operate?: Operate };
  if (!operate) throw new Unplannable();
  const complete = completer(planner, field.type, parent, nodes);
  const definitions = operation.variableDefinitions ?? [];
  const fixed = definitions.length === 0 ? getArgumentValues(field, node) : null;

  function argumentsOf(variables: Variables) {
    if (fixed) return fixed;
    const { variableValues, errors } = getVariableValues(schema, definitions, variables);
    if (errors) throw errors[0];
    return getArgumentValues(field!, node, variableValues);
  }

  return async (context, variables, errors) => {
    try {
      const value = await operate(argumentsOf(variables), context);
      return complete(value, { prev: undefined, key }, errors);
    } catch (thrown) {
      errors.push(locatedError(thrown, nodes, [key]));
      return null;
    }
  };
}

function completer(
  planner: Planner,
  type: GraphQLOutputType,
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Complete {
  if (isNonNullType(type)) {
    const complete = completer(planner, type.ofType, parent, nodes);
    const sentence = `Cannot return null for non-nullable field ${parent.name}.${nodes[0]!.name.value}.`;
    return (value, path, errors) => {
      const completed = complete(value, path, errors);
      if (completed === null) throw new Error(sentence);
      return completed;
    };
  }
  const complete = presentCompleter(planner, type, parent, nodes);
  return (value, path, errors) => {
    if (value instanceof Error) throw value;
    return value == null ? null : complete(value, path, errors);
  };
}

/** Returns the completer of values that are not null. */
function presentCompleter(
  planner: Planner,
  type: GraphQLOutputType,
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Complete {
  if (isLeafType(type)) return value => type.coerceOutputValue(value) ?? null;
  if (isListType(type)) {
    const slot = slotOf(type.ofType, nodes, completer(planner, type.ofType, parent, nodes));
    return (value, path, errors) =>
      Array.from(value as Iterable<unknown>, (item, index) => slot(item, path, errors, index));
  }
  if (isObjectType(type)) return objectCompleter(planner, type, nodes);
  throw new Unplannable();
}

function objectCompleter(planner: Planner, type: GraphQLObjectType, nodes: readonly FieldNode[]): Complete {
  const selected = planner.collect(
    type,
    nodes.map(node => node.selectionSet),
  );
  const fields = [...selected].map(([key, nodes]) => ({ key, read: readerOf(planner, type, key, nodes) }));
  return (value, path, errors) => {
    const object: Record<string, unknown> = Object.create(null);
    for (const { key, read } of fields) object[key] = read(value, path, errors);
    return object;
  };
}

function readerOf(
  planner: Planner,
  parent: GraphQLObjectType,
  key: string,
  nodes: readonly FieldNode[],
): Complete {
  const { value: name } = nodes[0]!.name;
  if (name === TypeNameMetaFieldDef.name) return () => parent.name;
  const field: GraphQLField<unknown, GraphQLContext> = parent.getFields()[name]!;
  const { isReadFromParent } = field.extensions as Partial<typeof readFromParent>;
  if (!isReadFromParent) throw new Unplannable();
  const resolve = (field.resolve ?? ((view: Record<string, unknown>) => view[name])) as (
    view: unknown,
  ) => unknown;
  const complete = completer(planner, field.type, parent, nodes);
  const slot = slotOf(field.type, nodes, (value, path, errors) => complete(resolve(value), path, errors));
  return (value, path, errors) => slot(value, path, errors, key);
}

/** Returns a function for a place whose value is null where it fails; a place that must not be null fails itself. */
function slotOf(type: GraphQLOutputType, nodes: readonly FieldNode[], complete: Complete) {
  const mustBe = isNonNullType(type);
  return (value: unknown, prev: Path, errors: GraphQLError[], key: string | number) => {
    const path: Path = { prev, key };
    try {
      return complete(value, path, errors);
    } catch (thrown) {
      const error = locatedError(thrown, nodes, keysOf(path));
      if (mustBe) throw error;
      errors.push(error);
      return null;
    }
  };
}

const keysOf = ({ prev, key }: Path): (string | number)[] => (prev ? [...keysOf(prev), key] : [key]);
