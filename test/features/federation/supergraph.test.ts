import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import { type DocumentNode, execute, type GraphQLSchema, parse, print } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../../support/app.ts';
import { compose, ordersOf } from './orders.ts';
import { settings, superuser } from './subgraph.ts';

// A supergraph of Gatehouse and another service, composed and queried by the packages of others (CONTRACT §19).

const root = join(import.meta.dirname, '../../..');

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
