import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  type getVariableValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The cost that a field of the schema declares: its own, and how often that of its selections counts. */
type Cost = number | { field?: number; multiplier?: number };

/**
 * Returns the cost of a valid operation, as Pothos' complexity plugin has it, whose own function coerces variables anew. A
 * selection set is read once, however often it is spread.
 */
export function costOf(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  variableValues: ReturnType<typeof getVariableValues>['variableValues'],
): number {
  const read = new Map<SelectionSetNode, number>();

  function ofSet(set: SelectionSetNode, type: GraphQLNamedType): number {
    const known = read.get(set);
    if (known !== undefined) return known;
    const cost = set.selections.reduce((sum, selection) => sum + ofSelection(selection, type), 0);
    read.set(set, cost);
    return cost;
  }

  function ofSelection(selection: SelectionNode, type: GraphQLNamedType): number {
    if (selection.kind === Kind.FIELD) return ofField(selection, type);
    const { typeCondition, selectionSet } =
      selection.kind === Kind.FRAGMENT_SPREAD ? fragmentOf(selection.name.value) : selection;
    return ofSet(selectionSet, typeCondition ? schema.getType(typeCondition.name.value)! : type);
  }

  function ofField(node: FieldNode, type: GraphQLNamedType): number {
    const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined;
    // Introspection.
    if (!field) return 1;
    const declared = (field.extensions.complexity ?? 1) as Cost | ((args: object) => Cost);
    const cost =
      typeof declared === 'function' ? declared(getArgumentValues(field, node, variableValues)) : declared;
    const { field: own = 1, multiplier = 1 } = typeof cost === 'number' ? { field: cost } : cost;
    return own + (node.selectionSet ? multiplier * ofSet(node.selectionSet, getNamedType(field.type)) : 0);
  }

  const fragmentOf = (name: string) =>
    definitions.find(
      each => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === name,
    ) as FragmentDefinitionNode;

  return ofSet(operation.selectionSet, schema.getRootType(operation.operation)!);
}
