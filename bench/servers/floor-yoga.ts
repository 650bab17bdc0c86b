// The session check as GraphQL `me`, on a bare Yoga server.
import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { asUser, typeDefs } from './floor-schema.ts';
import { serve } from './serve.ts';
import { userOf } from './session-check.ts';

const yoga = createYoga({
  schema: createSchema<{ request: Request }>({
    typeDefs,
    resolvers: {
      Query: {
        async me(_parent, _args, { request }) {
          const user = await userOf(request.headers.get('authorization'));
          if (!user) throw new Error('unauthenticated');
          return asUser(user);
        },
      },
    },
  }),
  graphqlEndpoint: '/api/auth/graphql',
  graphiql: false,
  logging: false,
});

await serve(createServer(yoga));
