import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  type InlineFragmentNode,
  isNonNullType,
  Kind,
  locatedError,
  type SelectionSetNode,
} from 'graphql';
import { type Collect, completer, Unplannable } from './completion.ts';
import type { GraphQLContext } from './context.ts';
import { boundedVariables } from './limits.ts';

/** Does what a field of an operation does, for a caller whom its scope admits: as its resolver, without what that needs. */
export type Operate = (args: Record<string, unknown>, context: GraphQLContext) => Promise<unknown>;

/** How one document is executed, with the same result as by the executor. */
export interface Plan {
  /** Returns whether this is the operation that a request names, or the only one there is. */
  serves(operationName: string | undefined): boolean;
  /** Returns a result without data if the variables are invalid or cost too much: then no field was started. */
  execute(context: GraphQLContext, variables: Record<string, unknown>): Promise<ExecutionResult>;
}

type Bound = Partial<ReturnType<typeof boundedVariables>>;

/** The variables of a call, coerced. */
type Variables = Bound['variableValues'];

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
  const selected = collect(type, [operation.selectionSet]);
  // In an object, this name is not a property.
  if (selected.has('__proto__')) throw new Unplannable();
  const fields = [...selected].map(([key, nodes]) => [key, rootOf(collect, type, key, nodes)] as const);
  const isSerial = operation.operation === 'mutation';

  // Without variables, a document costs what it did when it was first executed.
  const bind = (given: Record<string, unknown>): Bound =>
    operation.variableDefinitions?.length ? boundedVariables(schema, document, operation, given, true) : {};

  async function execute(context: GraphQLContext, given: Record<string, unknown>): Promise<ExecutionResult> {
    const { errors: refused, variableValues } = bind(given);
    if (refused) return { errors: refused };
    const errors: GraphQLError[] = [];
    const values: unknown[] = [];
    // Mutations run one after another (GraphQL §6.2.2).
    if (isSerial) for (const [, root] of fields) values.push(await root(context, variableValues, errors));
    else if (fields.length === 1) values.push(await fields[0]![1](context, variableValues, errors));
    else values.push(...(await Promise.all(fields.map(([, root]) => root(context, variableValues, errors)))));
    const data: Record<string, unknown> = {};
    for (const [index, [key]] of fields.entries()) data[key] = values[index];
    return errors.length > 0 ? { data, errors } : { data };
  }

  return { serves: name => name === undefined || name === operation.name?.value, execute };
}

/**
 * How many selections a plan visits at most; a document with more is left to the executor. No document of people comes near,
 * because a document has 2,000 tokens at most.
 */
const mostVisited = 2000;

/**
 * Returns a function that collects the fields of selection sets by their response names (GraphQL §6.3.2). A fragment is
 * visited once for all sets together, however often it is spread.
 */
function collector({ definitions }: DocumentNode): Collect {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  let visited = 0;

  return function collect(type, sets) {
    const found = new Map<string, FieldNode[]>();
    const spread = new Set<string>();

    function visit({ selections }: SelectionSetNode): void {
      for (const selection of selections) {
        if (selection.directives?.length || ++visited > mostVisited) throw new Unplannable();
        if (selection.kind === Kind.FIELD) {
          const key = (selection.alias ?? selection.name).value;
          const nodes = found.get(key);
          if (nodes) nodes.push(selection);
          else found.set(key, [selection]);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) enter(selection);
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          enter(fragments.get(selection.name.value)!);
        }
      }
    }

    function enter({ directives, typeCondition, selectionSet }: FragmentDefinitionNode | InlineFragmentNode) {
      // In a valid document, a fragment of another type belongs to a union.
      if (directives?.length || (typeCondition?.name.value ?? type.name) !== type.name)
        throw new Unplannable();
      visit(selectionSet);
    }

    for (const set of sets) if (set) visit(set);
    return found;
  };
}

function rootOf(collect: Collect, parent: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): Root {
  const node = nodes[0]!;
  const field = parent.getFields()[node.name.value];
  // Introspection; and only a field that may be null ends what fails in it.
  if (!field || isNonNullType(field.type)) throw new Unplannable();
  const { operate } = field.extensions as { operate?: Operate };
  if (!operate) throw new Unplannable();
  const complete = completer(collect, field.type, parent, nodes);

  return async (context, variables, errors) => {
    try {
      const value = await operate(getArgumentValues(field, node, variables), context);
      return complete(value, undefined, key, errors);
    } catch (thrown) {
      errors.push(locatedError(thrown, nodes, [key]));
      return null;
    }
  };
}
