import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMissing } from '../support/needed.ts';
import { proxyNames } from '../support/proxies.ts';
import { type Deployment, deploy } from './deployment.ts';

// The files are run as they are shipped, but for ports, certificates and where logs go.

/** A request that is not sent twice, and needs neither account nor limit. */
const post = { method: 'POST', body: { query: '{ features { appName } }' } };

describe.each(proxyNames.map(name => [name] as const))('examples/production behind %s', name => {
  describe.skipIf(isMissing(name))(`(needs ${name})`, () => {
    let deployment: Deployment;
    beforeAll(async () => {
      deployment = await deploy(name);
      // Each process loads its pages and its GraphQL once.
      for (let i = 0; i < 4; i++) await deployment.ask('/api/auth/graphql', post);
      for (let i = 0; i < 4; i++) await deployment.ask('/account/login');
    }, 120_000);
    afterAll(() => deployment?.close());

    /** Asks over connections that stay open, from several clients at once, until it is told to stop; counts how each went. */
    function steadily(clients: number) {
      const agent = new Agent({ keepAlive: true, maxSockets: clients });
      const outcomes: Record<string, number> = {};
      let stopped = false;
      const running = Array.from({ length: clients }, async (_, client) => {
        for (let turn = client; !stopped; turn++) {
          const asked =
            turn % 3 === 0
              ? deployment.ask('/account/login', { agent })
              : deployment.ask('/api/auth/graphql', { ...post, agent });
          const outcome = await asked.then(
            ({ status }) => String(status),
            (error: NodeJS.ErrnoException) => error.code ?? error.message,
          );
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
          await sleep(2 + (turn % 7));
        }
      });
      return async () => {
        stopped = true;
        await Promise.all(running);
        agent.destroy();
        return outcomes;
      };
    }

    // nginx asks no health check, so it connects until the port is closed; the system resets what arrives in that instant.
    const isAsking = name !== 'nginx';
    const promise = isAsking ? 'no request fails' : 'fewer than one request in a thousand fails';
    test(`restarts one process after the other under load, and ${promise}`, async () => {
      const end = steadily(8);
      for (const instance of deployment.instances) await instance.restart();
      const { 200: served = 0, 502: lost = 0, ...others } = await end();
      expect(others).toEqual({});
      expect(served).toBeGreaterThan(100);
      if (isAsking) expect(lost).toBe(0);
      else expect(lost).toBeLessThan(served / 1000);
    }, 180_000);

    test('reads its configuration again under load, and no request fails', async () => {
      const end = steadily(8);
      for (const instance of deployment.instances) await instance.reload();
      expect(Object.keys(await end())).toEqual(['200']);
    }, 180_000);

    test('sends no request over a connection that is just being closed', async () => {
      // Around the four seconds after which the proxy closes an idle connection: the proxy must close first.
      const agent = new Agent({ keepAlive: true });
      const pauses = Array.from({ length: 96 }, (_, i) => 3900 + 2 * i);
      const statuses = await Promise.all(
        pauses.map(async pause => {
          const first = await deployment.ask('/api/auth/graphql', { ...post, agent });
          await sleep(pause);
          const second = await deployment.ask('/api/auth/graphql', { ...post, agent });
          return [first.status, second.status];
        }),
      );
      agent.destroy();
      expect(new Set(statuses.flat())).toEqual(new Set([200]));
    }, 180_000);

    test('tells the service which client it is, whatever the client claims, and one request id', async () => {
      const { status, headers } = await deployment.ask('/api/auth/verify', {
        method: 'POST',
        body: { token: 'made up' },
        headers: { 'X-Forwarded-For': '203.0.113.77', 'X-Request-Id': 'chosen-by-the-client' },
        from: '127.0.0.9',
      });
      expect(status).toBe(400);
      const id = headers['x-request-id'];
      expect(id).toMatch(/^[\w.-]{8,100}$/);
      expect(id).not.toBe('chosen-by-the-client');
      const records = () => deployment.instances.flatMap(instance => instance.records);
      await expect.poll(() => records().filter(record => record.request_id === id)).toHaveLength(2);
      expect(records().find(({ msg, request_id }) => msg === 'audit' && request_id === id)).toMatchObject({
        act: 'verify',
        ip: '127.0.0.9',
      });
      expect(records().some(({ msg }) => String(msg).includes('trusted_proxies'))).toBe(false);
    });

    test('leaves queries out of its log, and asks browsers to come by TLS', async () => {
      const { headers } = await deployment.ask('/account/verify?token=planted-token');
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
      const plain = await fetch(`http://127.0.0.1:${deployment.proxy.httpPort}/account/login`, {
        headers: { Host: 'accounts.lanterns.example' },
        redirect: 'manual',
      });
      expect([301, 308]).toContain(plain.status);
      const log = () => deployment.proxy.log();
      // Caddy's file sets up no access log.
      if (name !== 'caddy') await expect.poll(log).toContain('/account/verify');
      expect(await log()).not.toContain('planted-token');
    });

    test('keeps strangers from what a rule of its own closes, however they spell it', async () => {
      const path = '/api/auth/admin/users';
      expect((await deployment.ask(path)).status).toBe(403);
      const spellings = [
        ...['/API/AUTH/admin/users', '/api/auth/ADMIN/users', '/Api/Auth/Admin/Users'],
        ...['/api/%61uth/admin/users', '/api/auth/%61dmin/users', '/api/auth/admin%2fusers'],
        ...[
          '//api/auth/admin/users',
          '/api//auth/admin/users',
          '/api/auth//admin/users',
          '///api/auth/admin/users',
        ],
        ...['/api/auth/./admin/users', '/api/auth/x/../admin/users', '/api/auth/%2e/admin/users'],
        ...['/x/%2e%2e/api/auth/admin/users', '/./api/auth/admin/users', '/api/auth/x%2f..%2fadmin/users'],
        ...[
          '/api\\auth/admin/users',
          '/api\\auth\\admin\\users#',
          '/api\\auth/admin/users#x',
          '/x#/api/auth/admin/users',
        ],
        ...['/api/auth;x/admin/users', '/api/auth/admin;x/users', '/api/auth/admin/users/..%2f..%2f..%2fx'],
        '/api/auth/admin/pending/..%2f..%2f..%2f..%2fx@example.org/promote',
      ];
      for (const spelled of spellings) {
        // 401 would be the service's own answer to a request that got through.
        const answered = await deployment.ask(spelled).catch((error: NodeJS.ErrnoException) => error.code);
        const status = typeof answered === 'object' ? answered.status : answered;
        expect([spelled, status]).toEqual([spelled, expect.toBeOneOf([301, 308, 400, 403, 404, 405])]);
      }
    });
  });
});
