import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isNonNullType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Collect, completer, Unplannable } from './completion.ts';
import type { GraphQLContext } from './context.ts';

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

/** A field of the operation: resolved once a call. */
type Root = (context: GraphQLContext, variables: Variables, errors: GraphQLError[]) => Promise<unknown>;

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
  const selected = collect(type, [operation.selectionSet]);
  // In an object, this name is not a property.
  if (selected.has('__proto__')) throw new Unplannable();
  const fields = [...selected].map(([key, nodes]) => [key, rootOf(planner, type, key, nodes)] as const);
  const isSerial = operation.operation === 'mutation';

  async function execute(context: GraphQLContext, variables: Variables): Promise<ExecutionResult> {
    const errors: GraphQLError[] = [];
    const values: unknown[] = [];
    // Mutations run one after another (GraphQL §6.2.2).
    if (isSerial) for (const [, root] of fields) values.push(await root(context, variables, errors));
    else if (fields.length === 1) values.push(await fields[0]![1](context, variables, errors));
    else values.push(...(await Promise.all(fields.map(([, root]) => root(context, variables, errors)))));
    const data: Record<string, unknown> = {};
    for (const [index, [key]] of fields.entries()) data[key] = values[index];
    return errors.length > 0 ? { data, errors } : { data };
  }

  return { serves: name => name === undefined || name === operation.name?.value, execute };
}

interface Planner {
  schema: GraphQLSchema;
  operation: OperationDefinitionNode;
  collect: Collect;
}

/** Returns a function that collects the fields of selection sets by their response names (GraphQL §6.3.2). */
function collector({ definitions }: DocumentNode): Collect {
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
  const complete = completer(planner.collect, field.type, parent, nodes);
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
      return complete(value, undefined, key, errors);
    } catch (thrown) {
      errors.push(locatedError(thrown, nodes, [key]));
      return null;
    }
  };
}
