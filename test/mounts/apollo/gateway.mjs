// A gateway of Apollo: it answers { query } with the result, and passes Authorization on.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { parse } from 'graphql';

class Source extends RemoteGraphQLDataSource {
  willSendRequest({ request, context }) {
    if (context.authorization) request.http.headers.set('authorization', context.authorization);
  }
}

const gateway = new ApolloGateway({
  supergraphSdl: readFileSync('supergraph.graphql', 'utf8'),
  buildService: ({ url }) => new Source({ url }),
});
const { executor, schema } = await gateway.load();

const server = createServer(async (req, res) => {
  const { query } = JSON.parse(await text(req));
  const { authorization } = req.headers;
  const result = await executor({
    ...{ document: parse(query), queryHash: query, schema, cache: new Map(), metrics: {} },
    ...{ request: { query, http: { headers: new Map() } }, context: { authorization } },
  });
  res.setHeader('Content-Type', 'application/json');
  res.end(JSON.stringify(result));
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on', process.env.PORT));
