import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { Program } from '../support/program.ts';
import { type Deployment, everybodyIn, startDeployment } from '../validate/deployment/deployment.ts';
import { emptyFolder, svc } from './support.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment();
});
afterAll(() => deployment.close());

test('looks without configuration, makes no account, and says what follows and what does not', async () => {
  const { code, stdout, stderr } = await svc(['check', new URL(deployment.url).origin]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^ok {4}reach +\S+\/api\/auth responds; switched on: /);
  expect(stdout).toMatch(/^\d+ ok, 0 with a warning, 0 failed, 0 skipped$/m);
  expect(stdout).toContain('Nothing was changed there: no account was made');
  expect(stdout).toContain('This does not show whether people can register and sign in');
  expect(await everybodyIn(deployment)).toEqual([]);
});

test('walks an account through only where it is asked to', async () => {
  const log = `file:${deployment.log}`;
  const unasked = await svc(['check', deployment.url, '--log-source', log]);
  expect([unasked.code, unasked.stderr]).toEqual([
    1,
    '--log-source is about a throwaway user: add --account.\n',
  ]);
  const args = ['--account', '--log-source', log, '--json', '--timeout', '10'];
  const phases =
    'input,profile,browser-sessions,logout,password,reset,resend,email,sms,totp,passkeys,oauth,admin,graphql,lockout';
  const { code, stdout } = await svc(['check', deployment.url, ...args, '--skip', phases]);
  const { ok, checks, conclusions } = JSON.parse(stdout);
  expect([code, ok]).toEqual([0, true]);
  expect(checks).toContainEqual({
    name: 'delete',
    outcome: 'ok',
    detail: expect.stringContaining('was deleted'),
  });
  expect(conclusions[1]).toContain('An account was made');
});

test.each([
  [
    'cors',
    'fail',
    'pages of any site may read answers',
    (_req, res, next) => {
      res.set('Access-Control-Allow-Origin', '*');
      next();
    },
  ],
  [
    'sessions',
    'fail',
    'GET /me returned 200',
    ({ path }, res, next) => (path.endsWith('/me') ? void res.json({ email: 'x' }) : next()),
  ],
  [
    'private',
    'warn',
    '/metrics answers strangers',
    ({ path }, res, next) => (path === '/metrics' ? void res.send('gatehouse_users 1') : next()),
  ],
  [
    'private',
    'warn',
    'this is a development server',
    ({ path }, res, next) =>
      path === '/svc-dev/inbox' ? void res.send('<script src="/svc-dev/inbox.js">') : next(),
  ],
] satisfies [string, string, string, NonNullable<Deployment['fault']>][])(
  '%s: %s, %s',
  async (name, outcome, detail, fault) => {
    deployment.fault = fault;
    const { code, stdout } = await svc(['check', deployment.url, '--json']);
    deployment.fault = null;
    const { checks, conclusions } = JSON.parse(stdout);
    expect(checks).toContainEqual({ name, outcome, detail: expect.stringContaining(detail) });
    expect(code).toBe(outcome === 'fail' ? 1 : 0);
    expect(conclusions[0]).toContain(outcome === 'fail' ? 'breaks a rule' : 'keeps the rules');
  },
);

test('says where there is nothing', async () => {
  const { code, stdout } = await svc(['check', 'http://127.0.0.1:9']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {2}reach +POST \/login: nothing listens there$/m);
  expect((await svc(['check', 'accounts'])).stderr).toContain("It must be the API's address");
});

test('loads no package but that of the arguments', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      const [, name] = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) console.error('loaded ' + name);
      return next(url, context);
    } });`)}`;
  const checked = new Program(['--import', hook, await built('svc'), 'check', deployment.url], {
    cwd: await emptyFolder(),
  });
  expect(await checked.ended()).toBe(0);
  const loaded = [...checked.output.matchAll(/^loaded (.+)$/gm)].map(([, name]) => name);
  expect([...new Set(loaded)]).toEqual(['commander']);
});
