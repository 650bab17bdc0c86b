import { composeServices } from '@theguild/federation-composition';
import { buildSchema, parse } from 'graphql';

// A supergraph of Gatehouse and another service.

/** Another service, whose orders belong to accounts and add to them. */
const ordersSdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Query { orders: [Order!] newest: OrderPage }
  type Order @key(fields: "id") { id: ID! owner: User }
  type OrderPage { pageInfo: PageInfo! }
  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type User @key(fields: "id") { id: ID! orderCount: Int! }
`;

/** Composes a supergraph. @throws {Error} with what does not fit */
export function compose(
  accountsSdl: string,
  urls: Partial<Record<'accounts' | 'orders', string>> = {},
): string {
  const service = (name: 'accounts' | 'orders', sdl: string) => ({
    name,
    url: urls[name] ?? `http://${name}.example`,
    typeDefs: parse(sdl),
  });
  const { supergraphSdl, errors } = composeServices([
    service('accounts', accountsSdl),
    service('orders', ordersSdl),
  ]);
  if (!supergraphSdl) throw new Error(errors?.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}

/** The other service. */
export function ordersOf(owners: readonly string[]) {
  const definitions = ordersSdl.replace(/extend schema.*/, '').replace(/@\w+(\(fields: "id"\))?/g, '');
  const schema = buildSchema(`${definitions}
    scalar _Any
    union _Entity = User | Order
    extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`);
  const countOf = (owner: string) => owners.filter(id => id === owner).length;
  const rootValue = {
    orders: () => owners.map((id, i) => ({ id: String(i), owner: { id, orderCount: countOf(id) } })),
    _entities: ({ representations }: { representations: { __typename: string; id: string }[] }) =>
      representations.map(each => ({ ...each, orderCount: countOf(each.id) })),
  };
  return { schema, rootValue };
}
