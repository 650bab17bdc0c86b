import { extendSchema, GraphQLError, type GraphQLSchema, type GraphQLUnionType, parse } from 'graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import { once } from '../../lazily.ts';
import { mostEntities, type ResolveEntities } from './operations.ts';
import { print } from './print.ts';

/** The fields by which a gateway asks each subgraph (Apollo Federation 2, "Subgraph schema specification"). */
const entities = `
  "A reference to an entity: its \`__typename\` and its key."
  scalar _Any
  "What other subgraphs may refer to."
  union _Entity = User
  extend type Query {
    "The entities of these references; null for one that the caller may not see."
    _entities(
      "From 1 to ${mostEntities} references, such as \`{ __typename: \\"User\\", id: \\"…\\" }\`."
      representations: [_Any!]!
    ): [_Entity]!
  }
`;

const service = `
  "What a gateway composes the supergraph from."
  type _Service {
    "The schema with the directives of federation."
    sdl: String!
  }
  extend type Query {
    "The schema of this subgraph, while introspection is on."
    _service: _Service!
  }
`;

interface Parts {
  resolveEntities: ResolveEntities;
  /** Whether clients may read the schema. */
  introspection: boolean;
}

/** Returns the schema with the fields of a subgraph. */
export function addSubgraph(schema: GraphQLSchema, { resolveEntities, introspection }: Parts): GraphQLSchema {
  const extended = extendSchema(schema, parse(introspection ? entities + service : entities));
  (extended.getType('_Entity') as GraphQLUnionType).resolveType = () => 'User';
  const { _entities, _service } = extended.getQueryType()!.getFields();
  Object.assign(_entities!, {
    resolve: (_parent: unknown, args: object, { caller }: GraphQLContext) => resolveEntities(caller, args),
    extensions: { complexity: costOf },
  });
  const sdl = once(() => print(schema));
  if (_service) _service.resolve = () => ({ sdl: sdl() });
  return extended;
}

/**
 * Returns the cost: as many times that of the selection as there are entries. @throws {GraphQLError} for a list that is empty
 * or too long, before anything is executed
 */
function costOf({ representations }: { representations: readonly unknown[] }) {
  const count = representations.length;
  if (count < 1 || count > mostEntities)
    throw new GraphQLError(`_entities takes 1 to ${mostEntities} representations, not ${count}.`);
  return { field: 0, multiplier: count };
}
