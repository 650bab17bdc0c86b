import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import { composeServices } from '@theguild/federation-composition';
import { buildSchema, type DocumentNode, execute, type GraphQLSchema, parse, print } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { settings, superuser } from './subgraph.ts';

// A supergraph of Gatehouse and another service, composed and queried by the packages of others (CONTRACT §19).

const root = join(import.meta.dirname, '../../..');

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
function compose(accountsSdl: string): string {
  const service = (name: string, sdl: string) => ({
    name,
    url: `http://${name}.example`,
    typeDefs: parse(sdl),
  });
  const { supergraphSdl, errors } = composeServices([
    service('accounts', accountsSdl),
    service('orders', ordersSdl),
  ]);
  if (!supergraphSdl) throw new Error(errors?.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}

interface Sent {
  document: DocumentNode;
  variables?: Record<string, unknown>;
}

/** Returns the gateway, and how many documents it has sent to Gatehouse. */
function gatewayOf(app: App, supergraphSdl: string, owners: readonly string[], token: string) {
  const sent: string[] = [];
  const orders = ordersOf(owners);
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl,
    onSubschemaConfig(config) {
      config.executor = async ({ document, variables = {} }: Sent) => {
        if (config.name.toLowerCase() === 'orders') {
          return execute({ ...orders, document, variableValues: variables });
        }
        sent.push(print(document));
        return (await app.graphql(print(document), variables, { token })).body;
      };
    },
  });
  return { schema: schema as GraphQLSchema, sent };
}

/** The other service. */
function ordersOf(owners: readonly string[]) {
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

let app: App;
let member: Member;
let other: Member;
let admin: Member;
beforeAll(async () => {
  app = await startApp({ settings: { ...settings, enableAdminRouter: true } });
  [member, other, admin] = [await signUp(app), await signUp(app), await superuser(app)];
});
afterAll(() => app?.close());

const sdlOf = async () => (await app.graphql('{ _service { sdl } }')).body.data._service.sdl as string;
const ask = (schema: GraphQLSchema, query: string) => execute({ schema, document: parse(query) });

test('the schema with every feature on composes', () => {
  const supergraph = compose(readFileSync(join(root, 'schema.federation.graphql'), 'utf8'));
  expect(supergraph).toMatch(/type User\n?\s+@join__type\(graph: ACCOUNTS, key: "id"/);
  expect(supergraph).toMatch(/reportedAt: DateTime[^\n]*@tag\(name: "administration"\)/);
});

test('the orders of others have no person in them, and one’s own account has its orders', async () => {
  const { schema, sent } = gatewayOf(app, compose(await sdlOf()), [member.id, other.id], member.token);
  const { data, errors } = await ask(
    schema,
    '{ me { email orderCount } orders { id owner { id email orderCount } } }',
  );
  expect(data).toMatchObject({ me: { email: member.email, orderCount: 1 } });
  expect(data!.orders).toMatchObject([
    { owner: { id: member.id, email: member.email, orderCount: 1 } },
    { owner: null },
  ]);
  expect(JSON.stringify({ data, errors })).not.toContain(other.email);
  expect(sent.filter(text => text.includes('_entities'))).toHaveLength(1);
});

test('a superuser sees whom the orders belong to, with one question to Gatehouse', async () => {
  const owners = [member.id, other.id, admin.id, member.id];
  const { schema, sent } = gatewayOf(app, compose(await sdlOf()), owners, admin.token);
  const { data, errors } = await ask(schema, '{ orders { owner { email isSuperuser orderCount } } }');
  expect(errors).toBeUndefined();
  expect(data!.orders).toMatchObject([
    { owner: { email: member.email, isSuperuser: false, orderCount: 2 } },
    { owner: { email: other.email, orderCount: 1 } },
    { owner: { email: admin.email, isSuperuser: true } },
    { owner: { email: member.email } },
  ]);
  expect(sent).toHaveLength(1);
});

test('without a session nothing of an account is told', async () => {
  const { schema } = gatewayOf(app, compose(await sdlOf()), [member.id], 'no session');
  const { data, errors } = await ask(schema, '{ orders { owner { email } } }');
  expect(JSON.stringify(data)).not.toContain(member.email);
  expect(JSON.stringify(errors)).toContain('unauthenticated');
});
