import { createServer } from 'node:http';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { stitchSchemas } from '@graphql-tools/stitch';
import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { createGatehouse } from 'gatehouse-auth';
import { buildSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();
const { baseUrl, apiPrefix } = gatehouse.config;

/** The application's own data: who ordered what. */
const ordersOf = userId => [{ id: 1, item: 'Lantern', customer: userId }];

// The application's own schema. Its scopes are those of the session that Gatehouse has checked.
const builder = new SchemaBuilder({
  plugins: [ScopeAuthPlugin],
  scopeAuth: { authScopes: ({ session }) => ({ session: session !== null }) },
});
const Order = builder.objectRef('Order').implement({
  fields: t => ({ id: t.exposeID('id'), item: t.exposeString('item') }),
});
builder.queryType({
  fields: t => ({
    orders: t.field({
      type: [Order],
      authScopes: { session: true },
      resolve: (_root, _args, { session }) => ordersOf(session.user.id),
    }),
  }),
});

// Gatehouse's schema. Each operation keeps the caller's token and address, so its limits and its audit stay as they are.
const accounts = {
  schema: buildSchema(await gatehouse.graphqlSdl()),
  executor: buildHTTPExecutor({
    endpoint: `${baseUrl}${apiPrefix}/graphql`,
    fetch: (url, init, { ip }) => gatehouse.fetch(new Request(url, init), { ip }),
    headers: ({ context }) => (context.authorization ? { authorization: context.authorization } : {}),
  }),
};

const schema = stitchSchemas({
  subschemas: [accounts, { schema: builder.toSchema() }],
  typeDefs: 'extend type User { orders: [Order!] }',
  resolvers: {
    User: {
      orders: {
        selectionSet: '{ id }',
        // An administrator's list shows other people: their orders are not for everybody.
        resolve: ({ id }, _args, { session }) => (session?.user.id === id ? ordersOf(id) : null),
      },
    },
  },
});

const yoga = createYoga({
  schema,
  context: async ({ req, request }) => ({
    ip: req.socket.remoteAddress,
    authorization: request.headers.get('authorization'),
    session: await gatehouse.sessionOf(request),
  }),
});

const server = createServer((req, res) => gatehouse.handler(req, res, () => yoga(req, res)));
server.listen(port, () => console.log(`listening on ${baseUrl}`));
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
