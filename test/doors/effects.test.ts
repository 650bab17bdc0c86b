import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, newPassword, signUp } from '../support/app.ts';
import { doors, type OperationName } from '../support/doors.ts';
import { featureTests } from '../support/feature-tests.ts';
import { type Oidc, startOidc } from '../support/oidc.ts';
import { calls, pendingToken } from './effect-inputs.ts';
import { effectsOf, effectsThrough, listen, openSites } from './effects.ts';
import { asAdmin, owner, type Prepare, phone } from './site.ts';

// An operation has the same effects through both doors: audit records, limit counts, metrics, events, mails, texts.

let oidc: Oidc;
let sites: ReturnType<typeof openSites>;
/** Of every operation: the codes that the OpenAPI document declares. */
let declared: Map<string, string[]>;
beforeAll(async () => {
  oidc = await startOidc();
  sites = openSites(oidc);
  const { app } = await sites.open();
  declared = declaredCodes((await app.rest('GET', '/openapi.json')).body);
});
afterAll(async () => {
  await sites?.close();
  await oidc?.close();
});

interface Documented {
  operationId: string;
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>;
}

/** Returns the error codes of each operation of an OpenAPI document. */
function declaredCodes({
  paths,
}: {
  paths: Record<string, Record<string, Documented>>;
}): Map<string, string[]> {
  const documented = Object.values(paths).flatMap(path => Object.values(path));
  return new Map(
    documented.map(({ operationId, responses }) => {
      const contents = Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
      return [operationId, contents.flatMap(({ examples = {} }) => Object.keys(examples))];
    }),
  );
}

/** The effects through both doors, each on a site of its own. */
async function compared(operation: OperationName, prepare: Prepare, refuses = false) {
  const [rest, graphql] = [
    await sites.through(doors[0]!, operation, prepare, { refuses }),
    await sites.through(doors[1]!, operation, prepare, { refuses }),
  ];
  expect(graphql).toEqual(rest);
  return rest;
}

/** The effects through both doors of a call that is refused before its work, so that one site serves both. */
async function comparedRefusals(operation: OperationName, prepare: Prepare) {
  const site = await sites.open();
  const given = await prepare(site);
  const [rest, graphql] = [
    await effectsThrough(doors[0]!, site, operation, given),
    await effectsThrough(doors[1]!, site, operation, given),
  ];
  expect(graphql).toEqual(rest);
  return rest;
}

const names = Object.keys(calls) as OperationName[];
const ofAdministration = (name: OperationName) => /^(admin|user|webhooks)/.test(name);
const ofAnyone = names.filter(name =>
  [
    ...['register', 'verify', 'resendVerification', 'login', 'forgotPassword', 'resetPassword'],
    ...['acceptInvitation', 'confirmEmailChange', 'confirmLoginMfa', 'startOAuthSignIn', 'exchangeOAuth'],
    ...['features', 'sendMfaCode', ...featureTests.forAnyone],
  ].includes(name),
);
const ofSessions = names.filter(name => !ofAnyone.includes(name));

test('every operation is compared here, except for what one door alone has and for lists', () => {
  const lists = ['users', 'pendingRegistrations', 'outboxMessages', 'auditRecords', 'activity'];
  const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap(type =>
    Object.keys(type!.getFields()),
  );
  const atBoth = [...declared.keys()].filter(name => fields.includes(name) && !lists.includes(name));
  expect(atBoth.toSorted()).toEqual(names.toSorted());
});

describe('the effects of an operation are the same through REST and GraphQL', () => {
  test.each(names)('%s, done', async name => {
    expect(await compared(name, calls[name].good)).toMatchObject({ outcome: 'ok' });
  });

  test.each(names.filter(name => calls[name].bad))('%s, refused by its work', async name => {
    const { outcome, metrics } = await compared(name, calls[name].bad!);
    expect(outcome).not.toBe('ok');
    expect(declared.get(name)).toContain(outcome);
    expect(metrics).toEqual([`${name} ${outcome}`]);
  });

  test.each(ofSessions)('%s, without a session', async name => {
    const { outcome, audit } = await comparedRefusals(name, async site => {
      const { input } = await calls[name].good(site);
      return { input };
    });
    expect(outcome).toBe('unauthenticated');
    const isAudited = ![
      ...['me', 'oauthProviders', 'adminOverview', 'adminStats', 'authenticators', 'sessions'],
      ...featureTests.unaudited,
    ].includes(name);
    expect(audit.at(-1)?.act === name).toBe(isAudited);
  });

  test.each(names.filter(ofAdministration))('%s, by an ordinary user', async name => {
    const { outcome } = await comparedRefusals(name, async site => {
      const { input } = await calls[name].good(site);
      return { input, token: (await signUp(site.app, 'stranger@example.org')).token };
    });
    expect(outcome).toBe('forbidden');
  });

  test.each(['login', 'changePassword', 'startPhoneSetup', 'deleteAccount'] as const)(
    '%s, beyond its limit, with and without a session',
    async name => {
      for (const isSignedIn of [true, false]) {
        const prepare: Prepare = ({ member: { token, password } }) => ({
          input: {
            login: { email: owner, password },
            changePassword: { current_password: password, new_password: newPassword },
            startPhoneSetup: { phone_number: phone, current_password: password },
            deleteAccount: { current_password: password },
          }[name],
          ...(isSignedIn && { token }),
        });
        const { outcome, limited, audit } = await compared(name, prepare, true);
        expect(outcome).toBe('rate_limited');
        expect(limited).toHaveLength(1);
        expect(audit.at(-1)).toMatchObject({ act: name, outcome: 'refused', reason: 'rate_limited' });
      }
    },
  );

  test.each([
    [
      'users',
      '/admin/users?limit=1',
      '{ users(first: 1) { nodes { id } pageInfo { hasNextPage } totalCount } }',
    ],
    [
      'pendingRegistrations',
      '/admin/pending?limit=1',
      '{ pendingRegistrations(first: 1) { nodes { email } pageInfo { hasNextPage } totalCount } }',
    ],
    [
      'outboxMessages',
      '/admin/outbox?limit=1',
      '{ outboxMessages(first: 1) { nodes { id } pageInfo { hasNextPage } } }',
    ],
    [
      'auditRecords',
      '/admin/audit?limit=1',
      '{ auditRecords(first: 1) { nodes { id } pageInfo { hasNextPage } } }',
    ],
    ['activity', '/activity?limit=1', '{ activity(first: 1) { nodes { id } pageInfo { hasNextPage } } }'],
  ])('%s: one call, and one read, for a full page', async (_, path, query) => {
    const list = (call: (app: App, token: string) => Promise<unknown>) => async () => {
      const site = await sites.open();
      await pendingToken(site);
      await pendingToken(site, 'other@example.org');
      const { token } = await asAdmin(() => undefined)(site);
      listen(site);
      await call(site.app, token!);
      return effectsOf(site, { ok: true, value: null });
    };
    const rest = await list((app, token) => app.rest('GET', path, undefined, { token }))();
    const graphql = await list((app, token) => app.graphql(query, undefined, { token }))();
    expect(graphql).toEqual(rest);
  });
});
