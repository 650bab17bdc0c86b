import {
  type ConstDirectiveNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  print as printDocument,
  printSchema,
  visit,
} from 'graphql';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@tag"])';

/** The directives of types, by their names. */
const ofTypes: Record<string, ConstDirectiveNode> = {
  User: directive('@key(fields: "id")'),
  // Each subgraph with connections has one.
  PageInfo: directive('@shareable'),
};
const ofAdministration = directive('@tag(name: "administration")');

/** Returns the text of a schema as a subgraph: sorted, so that a difference always means a change. */
export function print(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(lexicographicSortSchema(schema))), {
    [Kind.OBJECT_TYPE_DEFINITION](node) {
      const own = ofTypes[node.name.value];
      const type = schema.getType(node.name.value);
      const known = isObjectType(type) ? type.getFields() : {};
      const fields = node.fields?.map(field => {
        const isTagged = known[field.name.value]?.extensions.isOfAdministration === true;
        return isTagged ? { ...field, directives: [ofAdministration] } : field;
      });
      return { ...node, fields, ...(own && { directives: [own] }) };
    },
  });
  return `${link}\n\n${printDocument(document)}\n`;
}

/** Returns the node of a directive. */
function directive(text: string): ConstDirectiveNode {
  const [type] = parse(`type Type ${text} { field: Int }`).definitions as [ObjectTypeDefinitionNode];
  return type.directives![0]!;
}
