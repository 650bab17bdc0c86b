import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type ASTVisitor,
  type ExecutionArgs,
  type FragmentDefinitionNode,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  type ValidationContext,
  visit,
} from 'graphql';

/** The bounds of a document (CONTRACT §3). The standard introspection query has a depth of 15. */
const limits = { depth: 15, aliases: 30, fields: 300, tokens: 2000, cost: 5000 } as const;

/**
 * How many errors of variables are told. Each prints the whole value, so that all those of a body of unknown fields
 * would hold the process for half a minute.
 */
const maxVariableErrors = 5;

interface Size {
  depth: number;
  aliases: number;
}

/**
 * Depth and aliases as they are once every fragment stands where it is spread, so that fragments hide nothing. Each
 * fragment is measured once, so measuring a document takes no longer than reading it.
 */
export function boundedSize(context: ValidationContext): ASTVisitor {
  const measured = new Map<FragmentDefinitionNode, Size>();

  function ofFragment(name: string): Size {
    const fragment = context.getFragment(name);
    if (!fragment) return { depth: 0, aliases: 0 };
    const known = measured.get(fragment);
    if (known) return known;
    // A cycle, which another rule refuses, ends here.
    measured.set(fragment, { depth: 0, aliases: 0 });
    const size = ofSelections(fragment.selectionSet);
    measured.set(fragment, size);
    return size;
  }

  function ofSelections(set: SelectionSetNode | undefined): Size {
    let depth = 0;
    let aliases = 0;
    for (const selection of set?.selections ?? []) {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? ofFragment(selection.name.value)
          : ofSelections(selection.selectionSet);
      const isField = selection.kind === Kind.FIELD;
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      aliases += inner.aliases + (isField && selection.alias ? 1 : 0);
    }
    return { depth, aliases };
  }

  return {
    OperationDefinition(node: OperationDefinitionNode) {
      const { depth, aliases } = ofSelections(node.selectionSet);
      if (depth > limits.depth) refuse(`The document is ${depth} levels deep; ${limits.depth} are allowed.`);
      if (aliases > limits.aliases)
        refuse(`The document has ${aliases} aliases; ${limits.aliases} are allowed.`);
    },
  };

  function refuse(message: string): void {
    context.reportError(new GraphQLError(message));
  }
}

/**
 * Parses no further than the bound on tokens, and refuses a document of too many fields before it is validated:
 * comparing each field with every other is the costliest thing that a stranger can ask for.
 */
export const parseBounded: typeof parse = (source, options) => {
  const document = parse(source, { ...options, maxTokens: limits.tokens });
  let fields = 0;
  visit(document, { Field: () => void fields++ });
  if (fields > limits.fields) {
    throw new GraphQLError(`The document has ${fields} fields; ${limits.fields} are allowed.`);
  }
  return document;
};

/**
 * Why a call is not executed: variables that don't fit, or lists that would cost too much with them; else null.
 * Variables are looked at here, because the executor would tell of too many.
 */
export function refusal(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  hideSuggestions: boolean,
): readonly GraphQLError[] | null {
  const operation = getOperationAST(document, operationName);
  // Execution says what is wrong with a document that doesn't name one of its operations.
  if (!operation) return null;
  const options = { maxErrors: maxVariableErrors, hideSuggestions };
  const { errors } = getVariableValues(
    schema,
    operation.variableDefinitions ?? [],
    variableValues ?? {},
    options,
  );
  if (errors) return errors;
  const fragments = document.definitions.filter(definition => definition.kind === Kind.FRAGMENT_DEFINITION);
  const chosen = { ...document, definitions: [operation, ...fragments] };
  const { complexity } = complexityFromQuery(chosen, { schema, variables: { ...variableValues } });
  if (complexity <= limits.cost) return null;
  const message = `The document costs ${complexity}; ${limits.cost} are allowed. Ask for fewer items or fields.`;
  return [new GraphQLError(message)];
}
