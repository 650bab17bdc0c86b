import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { camelCase, fields } from '../../src/config/names.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { eventNames } from '../../src/event-names.ts';
import { type App, signUp, startApp } from '../support/app.ts';
import { type Answer, type Door, doors, type OperationName } from '../support/doors.ts';
import { strongSettings } from '../support/factors.ts';
import { baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { unheardWebhook } from '../support/webhooks.ts';
import {
  asAdmin,
  calls,
  newPassword,
  owner,
  type Prepare,
  pendingToken,
  phone,
  type Site,
} from './effect-inputs.ts';

// An operation has the same effects through both doors: audit records, limit counts, metrics, events, mails, texts.
// Each call happens in an app of its own, so that nothing of another call is among its effects.

let oidc: Oidc;
/** Of every operation: the codes that the OpenAPI document declares. */
let declared: Map<string, string[]>;
beforeAll(async () => {
  oidc = await startOidc();
  const { app } = await open(false);
  declared = declaredCodes((await app.rest('GET', '/openapi.json')).body);
  await app.close();
});
afterAll(() => oidc?.close());

async function open(refuses: boolean): Promise<Site> {
  const limited: string[] = [];
  const state = { isRefusing: false };
  const limiter = {
    async consume(key: string, items: readonly { count: number }[]) {
      limited.push(key);
      return { allowed: !state.isRefusing, limit: items[0]!.count, remaining: 0, resetSeconds: 60 };
    },
  };
  const limits = fields
    .map(({ path: [name] }) => name!)
    .filter(name => name.endsWith('_rate_limit'))
    .map(name => [camelCase(name), '1000/hour']);
  const app = await startApp({
    limiter,
    settings: {
      ...{ baseUrl, enableAdminRouter: true, enableSms2fa: true, enableOauth: true, enableMetrics: true },
      ...strongSettings,
      ...{ enableBrowserSessions: true, notifyNewSignIn: true },
      mailStore: 'database',
      auditStore: 'database',
      ...unheardWebhook,
      ...(Object.fromEntries(limits) as ConfigInput),
      oauth: oidc.settings,
    },
  });
  const acts: object[] = [];
  audited.set(app, acts);
  app.gatehouse.on('audit', ({ at, ...record }) => void acts.push(record));
  const member = await signUp(app, owner);
  state.isRefusing = refuses;
  limited.length = 0;
  return { app, member, limited, oidc };
}

/** Everything that happened, with what is random made the same. */
async function effectsOf(site: Site, answer: Answer) {
  const { app, limited } = site;
  const metrics = (await app.gatehouse.metrics!.text())
    .split('\n')
    .filter(line => line.startsWith('gatehouse_operations_total'));
  // Work after the response, and mails, are done when it is closed.
  await app.gatehouse.close();
  const audit = audited.get(app);
  const seen = new Map<string, string>();
  const alike = (text: string) =>
    text
      .replace(/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
      .replace(/("request_id":")[^"]+/g, '$1<request>')
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, id => {
        seen.set(id, seen.get(id) ?? `<id ${seen.size + 1}>`);
        return seen.get(id)!;
      })
      .replace(/[\w-]{43}(?![\w-])/g, '<random>')
      .replace(/code: \d{6}\b/g, 'code: <code>');
  const { ok } = answer;
  return JSON.parse(
    alike(
      JSON.stringify({
        outcome: ok ? 'ok' : answer.code,
        audit,
        limited,
        metrics,
        events: heard.get(app),
        // They leave several at a time, in no order.
        mails: app.mails.map(({ to, subject, text }) => [to, subject, text].join('\n')).toSorted(),
        texts: app.texts,
      }),
    ),
  );
}

const heard = new WeakMap<App, object[]>();
/** The audit records of each app, from its start. */
const audited = new WeakMap<App, object[]>();

function listen(app: App): void {
  const events: object[] = [];
  heard.set(app, events);
  for (const name of eventNames) {
    if (name !== 'audit') app.gatehouse.on(name, event => void events.push({ name, event }));
  }
}

async function effectsThrough(door: Door, operation: OperationName, prepare: Prepare, refuses = false) {
  const site = await open(refuses);
  const { input, token } = await prepare(site);
  listen(site.app);
  site.limited.length = 0;
  const answer = await door.at(site.app)(operation, input, token === undefined ? {} : { token });
  const effects = await effectsOf(site, answer);
  await site.app.close();
  return effects;
}

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

/** The effects through both doors. */
async function compared(operation: OperationName, prepare: Prepare, refuses = false) {
  const [rest, graphql] = [
    await effectsThrough(doors[0]!, operation, prepare, refuses),
    await effectsThrough(doors[1]!, operation, prepare, refuses),
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
    ...['features', 'startPasskeyLogin', 'loginWithPasskey', 'sendMfaCode', 'startMfaPasskey'],
    ...['endBrowserSession', 'reportNotMe'],
  ].includes(name),
);
const ofSessions = names.filter(name => !ofAnyone.includes(name));

test('every operation is compared here, except for what one door alone has and for lists', () => {
  // REST has two routes of `adminEndSession`.
  const others = [
    ...['oauthCallback', 'users', 'pendingRegistrations', 'outboxMessages', 'auditRecords', 'activity'],
    'adminEndEverySession',
  ];
  expect([...declared.keys()].filter(name => !others.includes(name)).toSorted()).toEqual(names.toSorted());
});

describe('the effects of an operation are the same through REST and GraphQL', () => {
  test.each(names)('%s, done', async name => {
    expect(await compared(name, calls[name].good)).toMatchObject({ outcome: 'ok' });
  });

  test.each(names.filter(name => calls[name].bad))('%s, refused by its work', async name => {
    const { outcome, metrics } = await compared(name, calls[name].bad!);
    expect(outcome).not.toBe('ok');
    expect(declared.get(name)).toContain(outcome);
    expect(metrics).toContainEqual(expect.stringMatching(`operation="${name}",outcome="${outcome}".* 1$`));
  });

  test.each(ofSessions)('%s, without a session', async name => {
    const { outcome, audit } = await compared(name, async site => {
      const { input } = await calls[name].good(site);
      return { input };
    });
    expect(outcome).toBe('unauthenticated');
    const isAudited = !['me', 'oauthProviders', 'adminStats', 'authenticators', 'sessions'].includes(name);
    expect(audit.at(-1)?.act === name).toBe(isAudited);
  });

  test.each(names.filter(ofAdministration))('%s, by an ordinary user', async name => {
    const { outcome } = await compared(name, async site => {
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
      const site = await open(false);
      await pendingToken(site);
      await pendingToken(site, 'other@example.org');
      const { token } = await asAdmin(() => undefined)(site);
      listen(site.app);
      await call(site.app, token!);
      const effects = await effectsOf(site, { ok: true, value: null });
      await site.app.close();
      return effects;
    };
    const rest = await list((app, token) => app.rest('GET', path, undefined, { token }))();
    const graphql = await list((app, token) => app.graphql(query, undefined, { token }))();
    expect(graphql).toEqual(rest);
  });
});
