import type { RequestHandler } from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { skippable } from '../../../src/validate/deployment/probe.ts';
import { createSelfSigned } from '../../support/certificates.ts';
import { baseUrl, startOidc } from '../../support/oidc.ts';
import {
  checkOf,
  type Deployment,
  everybodyIn,
  loseSession,
  newPhone,
  only,
  probed,
  startDeployment,
} from './deployment.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment();
});
beforeEach(() => {
  deployment.fault = null;
  deployment.isMute = false;
});
afterAll(() => deployment.close());

const everybody = (of = deployment) => everybodyIn(of);

/** Answers one route in place of the service. */
function route(method: string, path: string, handle: RequestHandler): RequestHandler {
  return (req, res, next) =>
    req.method === method && req.path.endsWith(path) ? handle(req, res, next) : next();
}

describe('a healthy deployment', () => {
  test('passes in every flow that is on, and leaves no account', async () => {
    const checks = await probed(deployment, { phone: newPhone() });
    expect(checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([
      { name: 'passkeys', outcome: 'skip', detail: 'is off (enable_passkeys)' },
      { name: 'totp', outcome: 'skip', detail: 'is off (enable_totp)' },
      { name: 'browser-sessions', outcome: 'skip', detail: 'is off (enable_browser_sessions)' },
      { name: 'tokens', outcome: 'skip', detail: 'is off (enable_tokens)' },
      { name: 'api-keys', outcome: 'skip', detail: 'is off (enable_api_keys)' },
      { name: 'oauth', outcome: 'skip', detail: 'is off (enable_oauth)' },
    ]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...skippable, 'register', 'login', 'delete']),
    );
    expect(await everybody()).toEqual([]);
  });

  test('is told no token, code or password', async () => {
    const checks = await probed(deployment, { phone: newPhone() });
    const log = JSON.stringify(checks);
    expect(log).not.toMatch(/eyJ|[\w-]{40}|\b\d{6}\b/);
  });

  test('is walked through without GraphQL, by looking at which paths are there', async () => {
    const own = await startDeployment({
      enableGraphql: false,
      enablePasswordReset: false,
      enableSms2fa: false,
    });
    const checks = await probed(own, { phone: newPhone(), skip: new Set(['lockout']) });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    for (const name of ['graphql', 'reset', 'sms']) expect(checkOf(checks, name).detail).toMatch(/^is off/);
    expect(await everybody(own)).toEqual([]);
    await own.close();
  });

  test.each([
    ['on loopback', {}],
    ['behind a proxy with TLS', { baseUrl: 'https://accounts.example.org' }],
  ])('keeps the session for pages of the host in a cookie, %s', async (_, settings) => {
    const own = await startDeployment({ enableBrowserSessions: true, ...settings });
    const checks = await probed(own, { skip: only('browser-sessions') });
    expect(checkOf(checks, 'browser-sessions')).toMatchObject({
      outcome: 'ok',
      detail: 'the cookie is kept from scripts and other sites, and the API does not accept it',
    });
    expect(JSON.stringify(checks)).not.toMatch(/eyJ/);
    expect(await everybody(own)).toEqual([]);
    await own.close();
  });

  test.each<[string, RegExp, (line: string) => string | string[]]>([
    ['scripts can read', /has not exactly the attributes/, line => line.replace('; HttpOnly', '')],
    ['other sites send', /has not exactly the attributes/, line => line.replace('=Lax', '=None')],
    ['every subdomain gets', /has not exactly the attributes/, line => `${line}; Domain=example.org`],
    ['has another name', /another name/, line => `session${line}`],
    ['is one of two', /exactly one cookie/, line => [line, 'other=1']],
    ['is not there', /exactly one cookie/, () => []],
  ])('has no cookie that %s', async (_, detail, change) => {
    const own = await startDeployment({ enableBrowserSessions: true });
    own.fault = route('POST', '/browser-session', (_req, res, next) => {
      const write = res.writeHead.bind(res) as (status: number, headers: Record<string, unknown>) => object;
      Object.assign(res, {
        writeHead: (status: number, { 'Set-Cookie': line, ...headers }: Record<string, unknown>) =>
          write(status, line === undefined ? headers : { ...headers, 'Set-Cookie': change(String(line)) }),
      });
      next();
    });
    const checks = await probed(own, { skip: only('browser-sessions') });
    expect(checkOf(checks, 'browser-sessions')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(detail),
    });
    await own.close();
  });

  test('is walked through without its log as far as no mail is needed', async () => {
    const own = await startDeployment({ requireVerification: false });
    const checks = await probed(own, { phone: newPhone(), logSource: null, skip: new Set(['lockout']) });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    for (const name of ['reset', 'email', 'sms'])
      expect(checkOf(checks, name).detail).toMatch(/^needs --log-source/);
    expect(await everybody(own)).toEqual([]);
    await own.close();
  });

  test.each([
    ['no mailed link verifies', { logSource: null }, 'skip'],
    ['the reset of the password verifies', {}, 'ok'],
  ] as const)('adds a factor or an API key to no address but one that %s', async (_, options, outcome) => {
    const all = {
      enablePasskeys: true,
      enableTotp: true,
      enableApiKeys: true,
      dataEncryptionKey: 'A'.repeat(43),
    };
    const own = await startDeployment({ ...all, requireVerification: false });
    const checks = await probed(own, { phone: newPhone(), skip: new Set(['lockout']), ...options });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    for (const name of ['passkeys', 'totp', 'api-keys']) {
      expect(checkOf(checks, name).outcome).toBe(outcome);
      if (outcome === 'skip') expect(checkOf(checks, name).detail).toMatch(/^needs a verified address/);
    }
    expect(await everybody(own)).toEqual([]);
    await own.close();
  });

  test('is walked to the door of the provider where people sign in with one', async () => {
    const oidc = await startOidc();
    const own = await startDeployment({ enableOauth: true, oauth: oidc.settings, baseUrl });
    const checks = await probed(own, { skip: only('oauth') });
    expect(checkOf(checks, 'oauth')).toMatchObject({
      outcome: 'ok',
      detail: `google: leads to ${new URL(oidc.issuer).host}, each with PKCE; a redirect to another site is refused`,
    });
    await own.close();
    await oidc.close();
  });

  test.each([
    ['are told', {}],
    ['are told by REST alone', { enableGraphql: false }],
  ])('may end a session with the next sign-in, where the features %s', async (_, settings) => {
    const own = await startDeployment({ enableSessionList: true, maxSessionsPerUser: 1, ...settings });
    const checks = await probed(own, { skip: only('logout') });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    await own.close();
  });

  test('ends no session with the next sign-in where no list of sessions is on', async () => {
    let sessions = 0;
    deployment.fault = route('GET', '/me', (_req, res, next) => {
      // After the logout of the second session, and then the first one.
      if (++sessions === 2) return void res.status(401).json({});
      next();
    });
    const checks = await probed(deployment, { skip: only('logout') });
    expect(checkOf(checks, 'logout')).toMatchObject({
      outcome: 'fail',
      detail: 'GET /me returned 401, not 200',
    });
  });

  test('is believed without a certificate that anybody trusts only when told so', async () => {
    const own = await startDeployment({}, await createSelfSigned('localhost'));
    const [distrusted] = await probed(own);
    expect(distrusted).toMatchObject({ outcome: 'fail', detail: expect.stringContaining('--insecure') });
    const checks = await probed(own, { insecure: true, skip: only() });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    await own.close();
  });

  test('waits as long as a limit asks, and goes on', async () => {
    let refusals = 0;
    deployment.fault = route('POST', '/login', (_req, res, next) => {
      if (refusals++ > 0) return next();
      const problem = {
        type: 'about:blank',
        title: 'Too many',
        status: 429,
        detail: 'Later.',
        code: 'rate_limited',
      };
      res.status(429).set('Retry-After', '0').type('application/problem+json').send(JSON.stringify(problem));
    });
    const checks = await probed(deployment, { skip: only() });
    expect(checkOf(checks, 'limits')).toMatchObject({
      outcome: 'warn',
      detail: expect.stringContaining('waiting 0 seconds'),
    });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  });
});

describe('every defect is found', () => {
  const found: [
    what: string,
    check: string,
    detail: RegExp,
    fault: () => RequestHandler,
    phases: string[],
  ][] = [
    [
      'logout is swallowed on the way',
      'logout',
      /still works after logout/,
      () => route('POST', '/logout', (_req, res) => void res.json({ message: 'Signed out.' })),
      ['logout'],
    ],
    [
      'a route answers 500',
      'profile',
      /PATCH \/me returned 500/,
      () => route('PATCH', '/me', (_req, res) => void res.status(500).send('<h1>oops</h1>')),
      ['profile'],
    ],
    [
      'forgot-password tells who has an account',
      'reset',
      /responds differently/,
      () => {
        let asked = 0;
        return route('POST', '/forgot-password', (_req, res, next) =>
          asked++ === 0 ? next() : void res.status(202).json({ message: 'No such account.' }),
        );
      },
      ['reset'],
    ],
    [
      'login tells who has an account',
      'login',
      /responds differently/,
      () => {
        let asked = 0;
        return route('POST', '/login', (_req, res, next) => {
          // Reachability, the unknown address, the login before verification, the right password, and then a wrong one.
          if (asked++ < 4) return next();
          const problem = { type: 'about:blank', title: 'No', status: 401, detail: 'Wrong password.' };
          res.status(401).json({ ...problem, code: 'invalid_credentials' });
        });
      },
      [],
    ],
    [
      'a verification link works twice',
      'register',
      /POST \/verify returned 200, not 400 invalid_token/,
      () => {
        let used = 0;
        return route('POST', '/verify', (_req, res, next) =>
          used++ < 2 ? next() : void res.json({ is_verified: true }),
        );
      },
      [],
    ],
    [
      'errors are pages and not problem documents',
      'errors',
      /not problem documents.*PUT \/login \(405\)/,
      () => route('PUT', '/login', (_req, res) => void res.status(405).send('<h1>No</h1>')),
      ['input'],
    ],
    [
      'cookies are set',
      'cookies',
      /cookies were set/,
      () => (_req, res, next) => {
        res.setHeader('Set-Cookie', 'session=1');
        next();
      },
      [],
    ],
    [
      'a second factor that anybody passes',
      'sms',
      /POST \/phone\/confirm returned 200, not 400 mfa_code_wrong/,
      () => route('POST', '/phone/confirm', (_req, res) => void res.json({ is_mfa_enabled: true })),
      ['sms'],
    ],
  ];
  test.each(found)('%s', async (_, name, detail, fault, phases) => {
    deployment.fault = fault();
    const checks = await probed(deployment, { phone: newPhone(), skip: only(...phases) });
    expect(checkOf(checks, name)).toMatchObject({ outcome: 'fail', detail: expect.stringMatching(detail) });
    expect(await everybody()).toEqual([]);
  });

  test('answers that caches may store', async () => {
    deployment.fault = (_req, res, next) => {
      const { writeHead } = res;
      res.writeHead = ((status: number, headers: object) =>
        writeHead.call(res, status, { ...headers, 'Cache-Control': 'public, max-age=60' } as never)) as never;
      next();
    };
    const checks = await probed(deployment, { skip: only() });
    expect(checkOf(checks, 'no-store')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringContaining('POST /login'),
    });
  });

  test('guessing that nothing bounds', async () => {
    const own = await startDeployment({ rateLimitDisabled: true });
    const checks = await probed(own, { skip: only('lockout') });
    expect(checkOf(checks, 'lockout')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringContaining('nothing limits'),
    });
    await own.close();
  });

  test('mails that never come', async () => {
    deployment.isMute = true;
    const checks = await probed(deployment, { letterTimeoutMs: 200 });
    expect(checkOf(checks, 'register')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(/^no email to/),
    });
    expect(checkOf(checks, 'cleanup')).toMatchObject({
      outcome: 'warn',
      detail: expect.stringMatching(/was not confirmed, and expires by itself/),
    });
    expect(await everybody()).toEqual([]);
  });

  test('mails whose bodies are not logged', async () => {
    const own = await startDeployment({ email: { logBodies: false } });
    const checks = await probed(own, { letterTimeoutMs: 200 });
    expect(checkOf(checks, 'register').detail).toContain('set email.log_bodies = true');
    await own.close();
  });

  test('an address where there is no such service', async () => {
    const url = `${new URL(deployment.url).origin}/elsewhere`;
    const checks = await probed(deployment, { url });
    expect(checks).toMatchObject([
      { name: 'reach', outcome: 'fail', detail: expect.stringContaining('such as /api/auth') },
    ]);
    // A single-page app may answer every path with its page.
    deployment.fault = (_req, res) => void res.send('<!doctype html>');
    expect(await probed(deployment)).toMatchObject([
      { name: 'reach', outcome: 'fail', detail: expect.stringContaining('there is no account service') },
    ]);
    deployment.fault = (_req, res) => void res.status(503).send('');
    expect(await probed(deployment)).toMatchObject([
      { name: 'reach', outcome: 'fail', detail: expect.stringContaining('reports an error') },
    ]);
    const gone = await probed(deployment, { url: 'http://127.0.0.1:1/api/auth' });
    expect(gone).toMatchObject([
      { name: 'reach', outcome: 'fail', detail: expect.stringContaining('nothing listens') },
    ]);
  });
});

describe('the throwaway user', () => {
  test('is gone although the answer to a change of its password was lost', async () => {
    // The password is the new one, and the probe was never told.
    deployment.fault = route('POST', '/change-password', (_req, res, next) => {
      res.end = (() => res.destroy()) as never;
      next();
    });
    const checks = await probed(deployment, { skip: only('password') });
    expect(checkOf(checks, 'password').outcome).toBe('fail');
    expect(await everybody()).toEqual([]);
  });

  test('is gone although the verification failed in the middle', async () => {
    let refusals = 0;
    deployment.fault = route('POST', '/verify', (_req, res, next) =>
      refusals++ < 2 ? void res.status(503).send('') : next(),
    );
    const checks = await probed(deployment);
    expect(checkOf(checks, 'register').outcome).toBe('fail');
    expect(checkOf(checks, 'cleanup')).toMatchObject({
      outcome: 'ok',
      detail: expect.stringContaining('was deleted'),
    });
    expect(await everybody()).toEqual([]);
  });

  test('is gone although its deletion failed once', async () => {
    let failures = 0;
    deployment.fault = route('DELETE', '/account', (_req, res, next) =>
      failures++ < 4 ? void res.status(502).send('') : next(),
    );
    const checks = await probed(deployment, { skip: only() });
    expect(checkOf(checks, 'delete').outcome).toBe('fail');
    expect(checkOf(checks, 'cleanup').outcome).toBe('ok');
    expect(await everybody()).toEqual([]);
  });

  test('is not looked for any more when the answer to its deletion was lost', async () => {
    let asked = 0;
    deployment.fault = route('DELETE', '/account', (_req, res, next) => {
      // Without a session, with a wrong password, and then as it should be.
      if (++asked === 3) res.end = (() => res.destroy()) as never;
      next();
    });
    const checks = await probed(deployment, { skip: only() });
    expect(checkOf(checks, 'delete').outcome).toBe('fail');
    expect(checkOf(checks, 'cleanup')).toMatchObject({
      outcome: 'warn',
      detail: expect.stringContaining('no longer exists'),
    });
    expect(await everybody()).toEqual([]);
  });

  test('is gone although its second factor stayed on and its session was lost', async () => {
    const stop = loseSession(deployment, '/phone');
    const checks = await probed(deployment, { stop, phone: newPhone(), skip: only('sms') });
    expect(checkOf(checks, 'sms').outcome).toBe('fail');
    expect(checkOf(checks, 'cleanup').outcome).toBe('ok');
    expect(await everybody()).toEqual([]);
  });

  test('is named when nothing could delete it', async () => {
    const own = await startDeployment();
    own.fault = route('DELETE', '/account', (_req, res) => void res.status(502).send(''));
    const checks = await probed(own, { skip: only() });
    const [user] = await everybody(own);
    expect(checkOf(checks, 'cleanup')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringContaining(user!.email),
    });
    await own.close();
  });

  test('is not made where it could not be deleted again, unless that is accepted', async () => {
    const own = await startDeployment({ enableAccountDeletion: false });
    const refused = await probed(own);
    expect(checkOf(refused, 'keep-user')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringContaining('--keep-user'),
    });
    expect(await everybody(own)).toEqual([]);

    const accepted = await probed(own, { keepUser: true, skip: only() });
    expect(accepted.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    const [user] = await everybody(own);
    expect(accepted.filter(({ name }) => name === 'keep-user').map(({ detail }) => detail)).toEqual([
      expect.stringContaining('account deletion is off'),
      `the user ${user!.email} was not deleted`,
    ]);
    await own.close();
  });

  test('is not made where its verification mail could not be read', async () => {
    const checks = await probed(deployment, { logSource: null });
    expect(checkOf(checks, 'keep-user')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringContaining('--log-source'),
    });
  });

  test('has the own fields that a registration needs', async () => {
    const type = ['string', 'number', 'boolean', 'date'] as const;
    const fields = type.map(type => [`a_${type}`, { type, required: true, maxLength: 1 }]);
    const own = await startDeployment({ userFields: { ...Object.fromEntries(fields), other: {} } });
    const checks = await probed(own);
    for (const name of ['register', 'login', 'delete']) expect(checkOf(checks, name).outcome).toBe('ok');
    await own.close();
  });

  test('is not made where registration is closed', async () => {
    const own = await startDeployment({ allowRegistration: false });
    expect(checkOf(await probed(own), 'register')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringContaining('closed'),
    });
    await own.close();
  });

  test('is gone when the walk was stopped in the middle', async () => {
    const stopping = new AbortController();
    deployment.fault = route('PATCH', '/me', (_req, _res, next) => {
      stopping.abort();
      next();
    });
    const checks = await probed(deployment, { stop: stopping.signal });
    expect(checkOf(checks, 'walk')).toMatchObject({ outcome: 'fail', detail: 'was interrupted' });
    expect(checkOf(checks, 'cleanup').outcome).toBe('ok');
    expect(await everybody()).toEqual([]);
  });
});
