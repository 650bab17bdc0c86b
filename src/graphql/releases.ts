import {
  type GraphQLError,
  type GraphQLLeafType,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';

// Releases 16 and 17 of `graphql` have these under different names. No other file knows the difference.

type VariableValues = ReturnType<typeof getVariableValues>['variableValues'];

/** The same in release 16. */
interface Leaf16 {
  serialize(value: unknown): unknown;
}
interface Coerced16 {
  coerced?: VariableValues;
}

/** Returns a leaf's value as it is sent. @throws {GraphQLError} for a value that is none of its type */
export function toOutput(type: GraphQLLeafType, value: unknown): unknown {
  const leaf: Partial<Pick<GraphQLLeafType, 'coerceOutputValue'>> & Leaf16 = type;
  return leaf.coerceOutputValue ? leaf.coerceOutputValue(value) : leaf.serialize(value);
}

/** The variables of an operation as its fields take them, or why they are none. */
export type BoundVariables =
  | { errors: readonly GraphQLError[]; variableValues?: never }
  | { errors?: never; variableValues: VariableValues };

/** Coerces the variables of an operation. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  options: { maxErrors: number; hideSuggestions: boolean },
): BoundVariables {
  const result: ReturnType<typeof getVariableValues> & Coerced16 = getVariableValues(
    schema,
    variableDefinitions,
    given,
    options,
  );
  if (result.errors) return { errors: result.errors };
  return { variableValues: result.coerced ?? result.variableValues };
}

/** Returns the path of what is wrong in a variable, as a message about it names it, or undefined. */
export function placeInVariable(message: string): string | undefined {
  const [, variable, path] = /^Variable "\$(\w+)" has invalid value at ([\w.[\]]+): /.exec(message) ?? [];
  if (path) return `${variable}${path}`;
  return /^Variable "\$\w+" got invalid value [\s\S]*? at "([\w.[\]]+)"; /.exec(message)?.[1];
}

/** Returns a message without the names that it suggests, which release 16 does not leave out by itself. */
export const withoutSuggestions = (message: string): string => message.replace(/ Did you mean [\s\S]*$/, '');
