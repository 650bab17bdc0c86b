import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLSchema, getVariableValues, Kind, parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { dataEncryptionKey, startApp } from '../../support/app.ts';
import { standInForPage } from '../../support/page-messages.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { manifestOf } from './manifests.ts';

// The console's GraphQL documents, checked against the schema.

const root = join(import.meta.dirname, '../../..');
const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'));

const fetchReally = globalThis.fetch;

async function stubbedFetch(_url: string, { body }: { body: string }): Promise<Response> {
  sent.push(JSON.parse(body));
  const [, field = ''] = /^[^{]*\{(\w+)/.exec(sent.at(-1)?.query ?? '') ?? [];
  return Response.json({ data: { [field]: { items: [], pageInfo: { hasMore: false, nextCursor: null } } } });
}

type Api = Record<string, (input?: unknown) => Promise<unknown>>;
let api: Api;
let sent: { query: string; variables?: Record<string, unknown> }[] = [];

beforeAll(async () => {
  standInForPage({ svcApi: '/api/auth', svcUi: '/account' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('fetch', stubbedFetch);
  api = (await import(join(root, 'static/admin-api.js'))).api;
});
afterAll(() => vi.unstubAllGlobals());

const id = '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081';
const page = { limit: 25, after: 'cursor', search: 'ada' };
const email = 'ada@example.org';

/** What each operation is called with; most take the id of a user. */
const samples: Record<string, unknown> = {
  users: { ...page, isActive: true, isVerified: true, isSuperuser: true, isMfaEnabled: true },
  adminUpdateUser: { id, isActive: false, isSuperuser: true, fullName: null },
  adminCreateUser: { email, fullName: null, isVerified: true, invite: true },
  adminChangeEmail: { id, email, isVerified: true, requireNewPassword: true },
  pendingRegistrations: page,
  resendVerification: { email },
  adminPromotePending: { email },
  adminEndSession: { id, sessionId: id },
  adminRemoveApiKey: { id, keyId: id },
  adminUnlinkOAuth: { id, provider: 'google' },
  outboxMessages: { limit: 25, after: 'cursor', state: 'dead' },
  auditRecords: {
    ...{ limit: 25, after: 'cursor', subject: id },
    ...{ since: '2026-01-31T00:00:00.000Z', outcome: 'refused' },
  },
  adminTestWebhook: { name: 'crm' },
  adminEnableWebhook: { name: 'crm' },
  adminReplayWebhook: { name: 'crm' },
  ...{
    me: {},
    logout: {},
    adminStats: {},
    adminOverview: {},
    webhooks: {},
    signingKeys: {},
    adminRotateSigningKeys: {},
  },
};

test('every document of the console is valid, and so is what it sends along', async () => {
  expect(Object.keys(api)).toEqual(expect.arrayContaining(Object.keys(samples)));
  expect(await problemsOf(api, schema, samples)).toEqual([]);
});

test('so is every document where the application adds fields and roles', async () => {
  const userFields = { company: {}, vat_number: { type: 'number' } } as const;
  const app = await startApp({
    settings: { enableAdminRouter: true, enableUiRouter: true, userFields, roles: ['editor'] },
  });
  const page = await (await fetchReally(`${app.origin}/account/admin`)).text();
  const dataset = { svcFields: /data-svc-fields="([^"]*)"/.exec(page)?.[1], svcRoles: 'editor' };
  standInForPage({ svcApi: '/api/auth', svcUi: '/account', ...dataset });
  vi.resetModules();
  const { api: own } = (await import(join(root, 'static/admin-api.js'))) as { api: Api };
  const added = { fields: { company: 'Acme', vatNumber: 5 }, roles: ['editor'] };
  const used = {
    users: { ...(samples.users as object), role: 'editor' },
    adminUpdateUser: { ...(samples.adminUpdateUser as object), ...added },
    me: {},
  };
  const { user, users, adminUpdateUser, me } = own as Record<
    'user' | 'users' | 'adminUpdateUser' | 'me',
    Api[string]
  >;
  expect(
    await problemsOf({ user, users, adminUpdateUser, me }, await app.gatehouse.graphqlSchema(), used),
  ).toEqual([]);
  expect(sentBefore.get('user')).toMatch(/ roles fields\{company:company vatNumber:vatNumber\}/);
  await app.close();
});

test('all of them are executed where only trusted documents are', async () => {
  const userFields: ConfigInput['userFields'] = { company: {}, vat_number: { type: 'number' } };
  const roles = ['editor'];
  onTestFinished(() => void vi.stubGlobal('fetch', stubbedFetch));
  for (const own of [{}, { userFields }, { roles }, { userFields, roles }]) {
    const app = await startApp({
      settings: {
        ...{ enableAdminRouter: true, enableUiRouter: true, enableSms2fa: true, enableTotp: true },
        ...{ enableSessionList: true, dataEncryptionKey, ...own },
        graphqlTrustedDocuments: await manifestOf(),
      },
    });
    vi.stubGlobal('fetch', fetchReally);
    const { token } = await signUpSuperuser(app);
    const page = await (await fetchReally(`${app.origin}/account/admin`)).text();
    const dataset = {
      svcFields: /data-svc-fields="([^"]*)"/.exec(page)?.[1],
      svcRoles: /data-svc-roles="([^"]*)"/.exec(page)?.[1],
    };
    // With what a host's own template of the console may leave out, and without.
    for (const attributes of [dataset, {}]) {
      standInForPage({ svcApi: '/api/auth', svcUi: '/account', ...attributes });
      vi.resetModules();
      const { api: console } = (await import(join(root, 'static/admin-api.js'))) as { api: Api };
      sent = [];
      vi.stubGlobal('fetch', stubbedFetch);
      for (const [name, call] of Object.entries(console)) await call(samples[name] ?? { id });
      const documents = sent.map(({ query }) => query);
      expect(documents.length).toBe(Object.keys(console).length);
      vi.stubGlobal('fetch', fetchReally);
      for (const query of documents.filter(each => !each.includes('logout'))) {
        const { body } = await app.graphql(query, {}, { token });
        // Variables are missing, which is said of a document that is trusted.
        expect(body.errors?.[0].message ?? '', query).not.toMatch(/trusted/);
      }
    }
    await app.close();
  }
});

const sentBefore = new Map<string, string>();

/** Calls each operation of the console, and returns what is wrong with its document and what it sends along. */
async function problemsOf(
  calls: Api,
  schema: GraphQLSchema,
  inputs: Record<string, unknown>,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    sent = [];
    await call(inputs[name] ?? { id });
    expect([name, sent.length]).toEqual([name, 1]);
    const [{ query, variables = {} }] = sent as [(typeof sent)[number]];
    const document = parse(query);
    problems.push(...validate(schema, document).map(({ message }) => `${name}: ${message}`));
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const { errors = [] } = getVariableValues(schema, definition.variableDefinitions ?? [], variables);
      problems.push(...errors.map(({ message }) => `${name}: ${message}`));
    }
    sentBefore.set(name, query);
  }
  return problems;
}
