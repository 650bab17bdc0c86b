// The session check as GraphQL `me`, on a bare mercurius server with its compiled queries.
import Fastify from 'fastify';
import mercurius, { type MercuriusContext } from 'mercurius';
import { asUser, typeDefs } from '../floor-schema.ts';
import { serve } from '../serve.ts';
import { userOf } from '../session-check.ts';

declare module 'mercurius' {
  interface MercuriusContext {
    authorization?: string | undefined;
  }
}

const app = Fastify();
app.register(mercurius, {
  schema: typeDefs,
  resolvers: {
    Query: {
      async me(_parent: unknown, _args: unknown, { authorization }: MercuriusContext) {
        const user = await userOf(authorization);
        if (!user) throw new Error('unauthenticated');
        return asUser(user);
      },
    },
  },
  context: ({ headers }) => ({ authorization: headers.authorization }),
  path: '/api/auth/graphql',
  // A query is compiled when it comes for the first time.
  jit: 1,
});
await app.ready();

await serve(app.server);
