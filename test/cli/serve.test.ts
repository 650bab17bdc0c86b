import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeEachBackend } from '../support/backends.ts';
import { listen } from '../support/listening.ts';
import { emptyFolder, logRecords, serve, svc } from './support.ts';

const ada = { email: 'ada@example.org', password: 'correct horse' };

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('svc serve', () => {
  test('says where it listens, answers for its health, and ends by SIGTERM with 0', async () => {
    const { origin, stop } = await serve();
    expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${origin}/readyz`)).json()).toEqual({ status: 'ready' });
    const posted = await fetch(`${origin}/readyz`, { method: 'POST' });
    expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    expect(await posted.json()).toMatchObject({ code: 'method_not_allowed' });
    const absent = await fetch(`${origin}/api/auth/absent`);
    expect(absent.status).toBe(404);
    expect(absent.headers.get('Content-Type')).toBe('application/problem+json');
    expect((await stop()).code).toBe(0);
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
  });

  test('finishes a request that is under way before it ends', async () => {
    const { api, stop, written } = await serve();
    const sent = request(`${api}/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Expect: '100-continue' },
    });
    const answered = once(sent, 'response');
    sent.flushHeaders();
    await once(sent, 'continue');
    const ended = stop();
    await written(/"stopping"/);
    sent.end(JSON.stringify(ada));
    const [response] = await answered;
    expect(response.statusCode).toBe(401);
    response.resume();
    expect((await ended).code).toBe(0);
  });

  test('refuses to show mails and secrets to other machines', async () => {
    for (const host of ['0.0.0.0', '::']) {
      const { code, stdout, stderr } = await svc(['serve', '--dev', '--host', host]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        `--dev shows emails and secrets, so it listens on loopback only, not on ${host}.`,
      );
    }
  });

  test('refuses limits_disabled on an address that others can reach, and warns of it elsewhere', async () => {
    const env = { SVC_LIMITS_DISABLED: 'true' };
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'auth.example']) {
      const { code, stdout, stderr } = await svc(['serve', '--host', host], { env });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`it is for loopback only, not for ${host}. Remove it from the configuration.`);
      expect((await svc(['serve', '--host', host, '--workers', '2'], { env })).code).toBe(1);
    }
    const { origin, stop } = await serve(['--host', '127.0.0.1'], { env });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    const { code, output } = await stop();
    expect(code).toBe(0);
    expect(output).toContain('warning: limits_disabled is on');
  });

  test('refuses templates that cannot be rendered, while an operator can still work', async () => {
    const cwd = await emptyFolder();
    await mkdir(join(cwd, 'brand/mail'), { recursive: true });
    await writeFile(join(cwd, 'brand/mail/verification.html.liquid'), '<p>\n{% if url %}');
    await svc(['migrate'], { cwd });
    const serving = (dir: string) =>
      svc(['serve', '--port', '0'], { cwd, env: { SVC_EXTRA_TEMPLATE_DIRS: dir } });
    const refused = (reason: string) => [
      1,
      '',
      expect.stringContaining(`The configuration can't be used:\n  ${reason}\n`),
    ];
    const broken = await serving('brand');
    expect([broken.code, broken.stdout, broken.stderr]).toEqual(
      refused(`${join(cwd, 'brand/mail/verification.html.liquid')}: line 2: tag {% if url %} not closed`),
    );
    const absent = await serving('brnd');
    expect([absent.code, absent.stdout, absent.stderr]).toEqual(
      refused(`extra_template_dirs: ${join(cwd, 'brnd')}: There is no such directory.`),
    );
    expect(await svc(['purge'], { cwd, env: { SVC_EXTRA_TEMPLATE_DIRS: 'brand' } })).toMatchObject({
      code: 0,
    });
  });

  test('says so when its port is in use', async () => {
    const { port, close } = await listen(() => {});
    const { code, stderr } = await svc(['serve', '--port', String(port)]);
    await close();
    expect(code).toBe(1);
    expect(stderr).toContain(
      `127.0.0.1:${port} is in use. Stop the process that listens there, or choose another with --port.`,
    );
  });

  test('ends with one line when its workers have no port', async () => {
    const { port, close } = await listen(() => {});
    const args = ['--port', String(port), '--workers', '2'];
    const ended = await serve(args).catch((error: Error) => error.message);
    await close();
    expect(ended).toMatch(/^it ended before it wrote/);
    expect(ended).toContain(`\n127.0.0.1:${port} is in use. Stop the process that listens there, or`);
    expect(ended).not.toContain('a worker died and is replaced');
  });

  test('refuses what is no port', async () => {
    for (const { code, stdout, stderr } of await Promise.all(
      ['65536', 'eighty', '-1'].map(port => svc(['serve', `--port=${port}`])),
    )) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('It must be a number from 0 to 65535.');
    }
  });
});

test('a request’s record holds no address, token, password, query or path value', async () => {
  const { origin, api, stop } = await serve([], { env: { SVC_ENABLE_ADMIN_ROUTER: 'true' } });
  const planted = { email: 'grace@planted.example', password: 'planted password', full_name: 'Planted Name' };
  const bearer = { Authorization: 'Bearer planted.session.token' };
  const graphql = {
    query: `mutation { login(input: {email: "${planted.email}", password: "x"}) { __typename } }`,
  };
  const answers = [
    await post(`${api}/register?planted=query`, planted),
    await post(`${api}/register`, planted),
    await post(`${api}/login`, planted),
    await post(`${api}/login`, { ...planted, password: 'planted wrong' }),
    await post(`${api}/verify`, { token: 'planted-token' }),
    await post(`${api}/login`, '{"email": "grace@planted.example'),
    await post(`${api}/graphql?planted=query`, graphql, bearer),
    await fetch(`${api}/me?access_token=planted`, { headers: bearer }),
    await fetch(`${api}/admin/users/planted-id?search=planted`, { headers: bearer }),
    await fetch(`${origin}/planted/path?planted`, {
      method: 'DELETE',
      headers: { Referer: 'http://planted' },
    }),
  ];
  const { code, output } = await stop();
  expect(code).toBe(0);
  const records = logRecords(output);
  expect(records.filter(({ msg }) => msg === 'request')).toHaveLength(answers.length);
  expect(records.map(record => JSON.stringify(record)).filter(line => line.includes('planted'))).toEqual([]);
  const routes = records.filter(({ msg }) => msg === 'request').map(({ route }) => route);
  expect(routes).toEqual(expect.arrayContaining(['/register', '/me', '/admin/users/:id']));
  const ids = answers.map(answer => answer.headers.get('X-Request-Id'));
  expect(records.map(({ request_id }) => request_id)).toEqual(expect.arrayContaining(ids));
});

describeEachBackend(
  'svc serve on an empty database',
  backend => {
    test('three that start at once all listen, and all serve', async () => {
      const database = await backend.createDatabase();
      const env = { SVC_DATABASE_URL: database.url, SVC_REQUIRE_VERIFICATION: 'false' };
      const servers = await Promise.all(Array.from({ length: 3 }, () => serve([], { env })));
      const ready = await Promise.all(servers.map(({ origin }) => fetch(`${origin}/readyz`)));
      expect(ready.map(({ status }) => status)).toEqual([200, 200, 200]);
      // They are one service: the account that one makes, each of the others knows.
      expect((await post(`${servers[0]!.api}/register`, ada)).status).toBe(201);
      const logins = await Promise.all(servers.map(({ api }) => post(`${api}/login`, ada)));
      expect(logins.map(({ status }) => status)).toEqual([200, 200, 200]);
      const ends = await Promise.all(servers.map(({ stop }) => stop()));
      expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
      await database.drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
