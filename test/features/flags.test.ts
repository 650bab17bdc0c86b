import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { printGraphQLSchema } from '../../src/graphql/print.ts';
import { type App, dataEncryptionKey, password, signUp, startApp } from '../support/app.ts';
import { newAddress } from '../support/people.ts';

// Each flag of SPEC §2.5, off and on: what it brings is there in every place, or in none.

interface Flag {
  on: ConfigInput;
  off: ConfigInput;
  /** What `features` calls it; absent where it says nothing of it. */
  feature?: string;
  /** Method and path, as OpenAPI writes it. */
  routes: string[];
  /** Fields of Query and Mutation, in the kind of the last one. */
  fields: string[];
  /** Types that stand in the schema for these fields alone. */
  types: string[];
  /** Pages that are there for it alone. */
  pages: string[];
  /** Who answers 404 while it is off: the host, or Gatehouse itself (SPEC §4.1). */
  absence: 'host' | 'problem';
}

/** What authenticator apps and passkeys share: it is there with either. */
const authenticatorRoutes = [
  'get /authenticators',
  'patch /authenticators/{id}',
  'delete /authenticators/{id}',
  'post /recovery-codes',
];
const authenticatorFields = [
  ...['authenticators', 'renameAuthenticator', 'removeAuthenticator', 'replaceRecoveryCodes'],
  'confirmLoginMfa',
];

const flags: Record<string, Flag> = {
  enable_password_reset: {
    on: {},
    off: { enablePasswordReset: false },
    feature: 'passwordReset',
    routes: ['post /forgot-password', 'post /reset-password'],
    fields: ['forgotPassword', 'resetPassword'],
    types: ['ForgotPasswordInput', 'ResetPasswordInput'],
    pages: ['forgot', 'reset-password'],
    absence: 'host',
  },
  enable_account_deletion: {
    on: {},
    off: { enableAccountDeletion: false },
    feature: 'accountDeletion',
    routes: ['delete /account'],
    fields: ['deleteAccount'],
    types: ['DeleteAccountInput'],
    pages: [],
    absence: 'problem',
  },
  enable_admin_router: {
    on: { enableAdminRouter: true },
    off: {},
    feature: 'admin',
    routes: [
      'get /admin/stats',
      'get /admin/overview',
      'get /admin/users',
      'get /admin/users/{id}',
      'post /admin/users',
      'patch /admin/users/{id}',
      'delete /admin/users/{id}',
      'post /admin/users/{id}/resend-verification',
      'post /admin/users/{id}/send-reset',
      'post /admin/users/{id}/change-email',
      'post /admin/users/{id}/require-new-password',
      'post /admin/users/{id}/unlock',
      'post /admin/users/{id}/revoke-sessions',
      'get /admin/pending',
      'post /admin/pending/{email}/promote',
    ],
    fields: [
      ...[
        'adminStats',
        'adminOverview',
        'users',
        'user',
        'pendingRegistrations',
        'adminUpdateUser',
        'adminDeleteUser',
      ],
      ...['adminResendVerification', 'adminSendReset', 'adminUnlock', 'adminRevokeSessions'],
      ...['adminPromotePending', 'adminChangeEmail', 'adminRequireNewPassword', 'adminCreateUser'],
    ],
    types: [
      'AdminStats',
      'Overview',
      'AdminUserInput',
      'UserConnection',
      'PageInfo',
      'AdminPromotePendingInput',
    ],
    pages: ['admin'],
    absence: 'host',
  },
  enable_totp: {
    on: { enableTotp: true, dataEncryptionKey },
    // Passkeys bring what both kinds of authenticators share.
    off: {},
    feature: 'totp',
    routes: ['post /totp/start', 'post /totp/confirm', ...authenticatorRoutes],
    fields: [...authenticatorFields, 'startTotpSetup', 'confirmTotpSetup'],
    types: ['TotpSetup', 'ConfirmTotpSetupInput', 'Authenticators', 'AuthenticatorAdded', 'RecoveryCodes'],
    pages: [],
    absence: 'host',
  },
  enable_passkeys: {
    on: { enablePasskeys: true },
    off: {},
    feature: 'passkeys',
    routes: [
      'post /passkeys/start',
      'post /passkeys/confirm',
      'post /login/passkey/start',
      'post /login/passkey',
      'post /login/mfa-passkey/start',
      'post /login/mfa-confirm',
      ...authenticatorRoutes,
    ],
    fields: [
      ...[...authenticatorFields, 'startPasskeySetup', 'confirmPasskeySetup', 'startPasskeyLogin'],
      ...['loginWithPasskey', 'startMfaPasskey'],
    ],
    types: ['PasskeyChallenge', 'ConfirmPasskeySetupInput', 'LoginWithPasskeyInput', 'JSON'],
    pages: [],
    absence: 'host',
  },
  enable_session_list: {
    on: { enableSessionList: true },
    off: {},
    feature: 'sessionList',
    routes: ['get /sessions', 'delete /sessions', 'delete /sessions/{id}'],
    fields: ['sessions', 'endSession', 'endOtherSessions'],
    types: ['SessionList', 'SessionListItem', 'SessionsEnded', 'EndSessionInput'],
    pages: [],
    absence: 'host',
  },
  notify_new_sign_in: {
    on: { notifyNewSignIn: true, enableSessionList: true, dataEncryptionKey },
    off: {},
    feature: 'notMe',
    routes: ['post /not-me', 'post /not-me/keep'],
    fields: ['reportNotMe', 'keepAddedSince'],
    types: ['NotMeReport', 'ReportNotMeInput'],
    pages: ['not-me'],
    absence: 'host',
  },
  enable_browser_sessions: {
    on: { enableBrowserSessions: true },
    off: {},
    feature: 'browserSessions',
    routes: ['post /browser-session', 'delete /browser-session'],
    fields: ['createBrowserSession', 'endBrowserSession'],
    types: [],
    pages: [],
    absence: 'host',
  },
};

/** Where a printed schema defines a type. */
const definition = (type: string) => new RegExp(`^(type|input|scalar|union) ${type}\\b`, 'm');

describe.each(Object.entries(flags))('%s', (_, flag) => {
  const { on, off, feature, routes, fields, types, pages, absence } = flag;
  const page = (app: App, name: string) => fetch(`${app.origin}/account/${name}`);

  async function read(app: App) {
    const openApi = (await app.rest('GET', '/openapi.json')).body;
    const documented = Object.entries(openApi.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method} ${path}`),
    );
    const { queryType, mutationType } = await namesOf(app);
    const features = (await app.graphql(`{ features { ${feature ?? 'appName'} } }`)).body.data.features;
    const printed = printGraphQLSchema(await app.gatehouse.graphqlSchema());
    return { documented, fields: [...queryType, ...mutationType], printed, features };
  }

  describe('off', () => {
    let app: App;
    beforeAll(async () => {
      app = await startApp({ settings: { ...off, enableUiRouter: true } });
    });
    afterAll(() => app?.close());

    // Shows asvs/6.6.1#none.
    test.each(routes)('%s does not exist, with a session or without', async route => {
      const [method = '', path = ''] = route.replace(/\{\w+\}/, randomUUID()).split(' ');
      const { token } = await signUp(app);
      for (const options of [{}, { token }]) {
        const body = method === 'get' ? undefined : { current_password: password };
        const reply = await app.rest(method.toUpperCase(), path, body, options);
        expect(reply.status).toBe(404);
        if (absence === 'host') expect(reply.body).toBe('not known to the host');
        else expect(reply.body).toMatchObject({ code: 'not_found' });
      }
    });

    test('nothing of it is in the GraphQL schema', async () => {
      const { fields: present, printed } = await read(app);
      for (const field of fields) expect(present).not.toContain(field);
      for (const type of types) expect(printed).not.toMatch(definition(type));
      const query = `mutation { ${fields.at(-1)} { __typename } }`;
      const { body } = await app.graphql(query);
      expect(body.errors[0].extensions.code).toBe('invalid_document');
    });

    test('nothing of it is in the OpenAPI document', async () => {
      const { documented } = await read(app);
      for (const route of routes) expect(documented).not.toContain(route);
    });

    test('none of its pages is there', async () => {
      for (const name of pages) expect((await page(app, name)).status).toBe(404);
    });

    test('`features` says that it is off', async () => {
      if (feature) expect((await read(app)).features).toEqual({ [feature]: false });
    });
  });

  describe('on', () => {
    let app: App;
    beforeAll(async () => {
      app = await startApp({ settings: { ...on, enableUiRouter: true } });
    });
    afterAll(() => app?.close());

    test.each(routes)('%s exists', async route => {
      const [method = '', path = ''] = route.replace(/\{\w+\}/, 'nobody@example.org').split(' ');
      const reply = await app.rest(method.toUpperCase(), path, method === 'get' ? undefined : {});
      // A sign-in with a passkey may be started without an account.
      expect(reply.status).toBeOneOf([200, 204, 401, 422]);
      if (reply.status === 204) return;
      expect(reply.headers.get('Content-Type')).toMatch(/^application\/(problem\+)?json\b/);
    });

    test('all of it is in the GraphQL schema, in the OpenAPI document, and `features` says so', async () => {
      const { documented, fields: present, printed, features } = await read(app);
      expect(documented).toEqual(expect.arrayContaining(routes));
      expect(present).toEqual(expect.arrayContaining(fields));
      for (const type of types) expect(printed).toMatch(definition(type));
      for (const name of pages) expect((await page(app, name)).status).toBe(200);
      if (feature) expect(features).toEqual({ [feature]: true });
    });
  });
});

describe('a flag changes nothing but its own', () => {
  test('everything that no flag names is there with every flag at its other value', async () => {
    const off = Object.assign({}, ...Object.values(flags).map(flag => flag.off));
    const on = Object.assign({}, ...Object.values(flags).map(flag => flag.on));
    const [bare, full] = [await startApp({ settings: off }), await startApp({ settings: on })];
    const paths = async (app: App) => Object.keys((await app.rest('GET', '/openapi.json')).body.paths);
    // Two flags together also bring what administration does for each.
    const both = /^\/admin\/users\/\{id\}\/(authenticators|sessions)/;
    const own = Object.values(flags).flatMap(flag => flag.routes.map(route => route.split(' ')[1]));
    expect((await paths(full)).filter(path => !own.includes(path) && !both.test(path))).toEqual(
      await paths(bare),
    );
    const ownFields = [
      ...Object.values(flags).flatMap(flag => flag.fields),
      ...['adminRemoveAuthenticators', 'userAuthenticators', 'userSessions', 'adminEndSession'],
    ];
    const [common, all] = [await namesOf(bare), await namesOf(full)];
    for (const kind of ['queryType', 'mutationType'] as const) {
      expect(all[kind].filter(name => !ownFields.includes(name))).toEqual(common[kind]);
    }
    await Promise.all([bare.close(), full.close()]);
  });
});

describe('administration of strong sign-in', () => {
  const admin = { enableAdminRouter: true };
  const acts = {
    authenticators: {
      on: [{ enableTotp: true, dataEncryptionKey }, { enablePasskeys: true }],
      routes: ['DELETE /authenticators'],
      fields: ['adminRemoveAuthenticators'],
    },
    sessions: {
      on: [{ enableSessionList: true }],
      routes: ['GET /sessions', 'DELETE /sessions', 'DELETE /sessions/some-session'],
      fields: ['userSessions', 'adminEndSession'],
    },
  };
  const everything = { ...admin, ...{ enableTotp: true, dataEncryptionKey }, enableSessionList: true };

  async function statusesOf(app: App, routes: string[]) {
    const statuses = [];
    for (const route of routes) {
      const [method = '', path] = route.split(' ');
      const reply = await app.rest(method, `/admin/users/${randomUUID()}${path}`);
      statuses.push(reply.body === 'not known to the host' ? 'absent' : reply.status);
    }
    return statuses;
  }

  test.each(Object.entries(acts))('%s: there with the feature, and not without', async (_, act) => {
    const { on, routes, fields } = act;
    const off = await startApp({ settings: admin });
    expect(await statusesOf(off, routes)).toEqual(routes.map(() => 'absent'));
    const { queryType, mutationType } = await namesOf(off);
    for (const field of fields) expect([...queryType, ...mutationType]).not.toContain(field);
    await off.close();
    for (const settings of on) {
      const app = await startApp({ settings: { ...admin, ...settings } });
      expect(await statusesOf(app, routes)).toEqual(routes.map(() => 401));
      const names = await namesOf(app);
      expect([...names.queryType, ...names.mutationType]).toEqual(expect.arrayContaining(fields));
      await app.close();
    }
  });

  test('is not there while administration is off', async () => {
    const app = await startApp({ settings: { ...everything, enableAdminRouter: false } });
    const routes = Object.values(acts).flatMap(act => act.routes);
    expect(await statusesOf(app, routes)).toEqual(routes.map(() => 'absent'));
    await app.close();
  });
});

describe('what text messages bring by themselves', () => {
  test.each([
    ['off', {}, 'absent'],
    ['on', { enableSms2fa: true }, 422],
  ])('%s', async (_, settings, expected) => {
    const app = await startApp({ settings });
    const { mutationType } = await namesOf(app);
    for (const [path, field] of [
      ['/login/mfa-send', 'sendMfaCode'],
      ['/login/mfa-confirm', 'confirmLoginMfa'],
    ] as const) {
      const reply = await app.rest('POST', path, {});
      expect(reply.body === 'not known to the host' ? 'absent' : reply.status).toBe(expected);
      expect(mutationType.includes(field)).toBe(expected !== 'absent');
    }
    await app.close();
  });
});

test('signing in again is always possible', async () => {
  const app = await startApp();
  const member = await signUp(app);
  const { token } = member;
  const reply = await app.rest('POST', '/reauthenticate', { password: member.password }, { token });
  expect(reply).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
  const old = await app.rest('GET', '/me', undefined, { token });
  expect(old.status).toBe(401);
  expect((await namesOf(app)).mutationType).toContain('reauthenticate');
  await app.close();
});

test.each([
  ['off', {}],
  ['superusers', { mfaRequired: 'superusers', enablePasskeys: true }],
  ['everyone', { mfaRequired: 'everyone', enablePasskeys: true }],
] as const)('`features` says that a second factor is required of %s', async (required, settings) => {
  const app = await startApp({ settings });
  const { body } = await app.graphql('{ features { mfaRequired } }');
  expect(body.data.features).toEqual({ mfaRequired: required });
  await app.close();
});

test('administration sends no reset link that cannot be used', async () => {
  const app = await startApp({ settings: { enableAdminRouter: true, enablePasswordReset: false } });
  const { token } = await signUp(app);
  const reply = await app.rest('POST', `/admin/users/${randomUUID()}/send-reset`, undefined, { token });
  expect(reply).toMatchObject({ status: 404, body: 'not known to the host' });
  expect((await namesOf(app)).mutationType).not.toContain('adminSendReset');
  expect((await namesOf(app)).mutationType).toContain('adminUnlock');
  await app.close();
});

describe('allow_registration', () => {
  test.each([
    ['off', false],
    ['on', true],
  ])('%s: the route and the field stay, and `features` tells', async (_, allowRegistration) => {
    const app = await startApp({ settings: { allowRegistration } });
    const email = newAddress();
    const reply = await app.rest('POST', '/register', { email, password });
    expect(reply.status).toBe(allowRegistration ? 201 : 403);
    if (!allowRegistration) expect(reply.body.code).toBe('registration_closed');
    expect((await namesOf(app)).mutationType).toContain('register');
    expect((await app.rest('GET', '/openapi.json')).body.paths['/register'].post).toBeDefined();
    const { body } = await app.graphql('{ features { registration } }');
    expect(body.data.features).toEqual({ registration: allowRegistration });
    await app.close();
    expect(app.mails).toHaveLength(allowRegistration ? 1 : 0);
  });
});

describe('require_verification', () => {
  test.each([
    ['off', false, 'id'],
    ['on', true, 'status'],
  ])('%s: a registration answers accordingly, and `features` tells', async (_, requireVerification, key) => {
    const app = await startApp({ settings: { requireVerification } });
    const email = newAddress();
    const reply = await app.rest('POST', '/register', { email, password });
    expect(reply.status).toBe(201);
    expect(reply.body).toHaveProperty(key);
    const { body } = await app.graphql('{ features { verificationRequired } }');
    expect(body.data.features).toEqual({ verificationRequired: requireVerification });
    const login = await app.rest('POST', '/login', { email, password });
    expect(login.status).toBe(requireVerification ? 403 : 200);
    await app.close();
  });
});

describe('enable_graphql', () => {
  test('off: there is no GraphQL, and REST is as it was', async () => {
    const app = await startApp({ settings: { enableGraphql: false } });
    for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
      const reply = await app.rest(
        method,
        '/graphql',
        method === 'POST' ? { query: '{ __typename }' } : undefined,
      );
      expect(reply).toMatchObject({ status: 404, body: 'not known to the host' });
    }
    await signUp(app);
    await app.close();
  });

  test('on: there is', async () => {
    const app = await startApp();
    const { status, body } = await app.graphql('{ __typename }');
    expect({ status, body }).toEqual({ status: 200, body: { data: { __typename: 'Query' } } });
    await app.close();
  });
});

/** Names of the fields of Query and of Mutation. */
async function namesOf({ gatehouse }: App) {
  const schema = await gatehouse.graphqlSchema();
  return {
    queryType: Object.keys(schema.getQueryType()!.getFields()),
    mutationType: Object.keys(schema.getMutationType()!.getFields()),
  };
}
