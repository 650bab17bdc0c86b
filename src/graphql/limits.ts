import {
  type ASTVisitor,
  type DocumentNode,
  type ExecutionArgs,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  type ValidationContext,
  visit,
} from 'graphql';
import { costOf } from './cost.ts';
import { type BoundVariables, coerceVariables } from './releases.ts';

/** The limits of a document (CONTRACT §3). The standard introspection query has a depth of 15. */
const limits = {
  ...{ depth: 15, aliases: 30, fields: 300, fragments: 50 },
  ...{ tokens: 2000, nesting: 100, cost: 6000 },
} as const;

/**
 * How many errors of variables are reported. Each prints the whole value, so that reporting all errors of a body of
 * unknown fields would block the process for half a minute.
 */
const maxVariableErrors = 5;

interface Size {
  depth: number;
  aliases: number;
}

/**
 * Limits depth and aliases after expanding every fragment, so that fragments hide nothing. Each fragment is measured once,
 * so measuring a document takes no longer than reading it.
 */
export function boundedSize(context: ValidationContext): ASTVisitor {
  const measured = new Map<FragmentDefinitionNode, Size>();

  function ofFragment(name: string): Size {
    const fragment = context.getFragment(name);
    if (!fragment) return { depth: 0, aliases: 0 };
    const known = measured.get(fragment);
    if (known) return known;
    // Ends the recursion of a cycle, which another rule rejects.
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

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R]);

/** Rejects brackets nested too deeply: the parser recurses for each of them, until the stack overflows. */
function assertShallow(source: string | Source): void {
  const lexer = new Lexer(typeof source === 'string' ? new Source(source) : source);
  let depth = 0;
  for (let count = 0; count <= limits.tokens; count++) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return;
    if (opening.has(kind)) depth++;
    else if (closing.has(kind)) depth--;
    if (depth > limits.nesting) {
      throw new GraphQLError(
        `The document nests brackets more than ${limits.nesting} levels deep, which is the maximum.`,
      );
    }
  }
}

/**
 * Stops parsing at the limits on tokens and nesting, and rejects a document with too many fields or fragments before it is
 * validated: comparing each with every other is the costliest work that an anonymous client can request.
 */
export const parseBounded: typeof parse = (source, options) => {
  assertShallow(source);
  const document = parse(source, { ...options, maxTokens: limits.tokens });
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (fragments > limits.fragments) {
    throw new GraphQLError(`The document has ${fragments} fragments; ${limits.fragments} are allowed.`);
  }
  let fields = 0;
  visit(document, { Field: () => void fields++ });
  if (fields > limits.fields) {
    throw new GraphQLError(`The document has ${fields} fields; ${limits.fields} are allowed.`);
  }
  return document;
};

/**
 * Returns the variables of an operation as its fields take them, or why it is not executed: invalid variables, or lists
 * whose cost is too high with them. Variables are coerced here, because the executor would report too many errors.
 */
export function boundedVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  hideSuggestions: boolean,
): BoundVariables {
  const options = { maxErrors: maxVariableErrors, hideSuggestions };
  const variables = coerceVariables(schema, operation, given, options);
  if (variables.errors) return variables;
  let cost: number;
  try {
    cost = costOf(schema, document, operation, variables.variableValues);
  } catch (error) {
    // A field may refuse the length of a list, which its type cannot.
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
  if (cost <= limits.cost) return variables;
  const message = `The document costs ${cost}; ${limits.cost} are allowed. Ask for fewer items or fields.`;
  return { errors: [new GraphQLError(message)] };
}

/** Returns why a call is not executed, or null. */
export function refusal(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  hideSuggestions: boolean,
): readonly GraphQLError[] | null {
  const operation = getOperationAST(document, operationName);
  // The executor reports a document that does not name one of its operations.
  if (!operation) return null;
  return boundedVariables(schema, document, operation, variableValues ?? {}, hideSuggestions).errors ?? null;
}
