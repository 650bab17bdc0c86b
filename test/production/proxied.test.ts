import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { svc } from '../cli/support.ts';
import { isMissing } from '../support/needed.ts';
import { proxyNames } from '../support/proxies.ts';
import { type Deployment, deploy } from './deployment.ts';

// Two processes of two workers each behind a proxy, all below a path prefix, as an application that has its own pages on
// the same host would have them.

const prefix = '/id';
const api = `${prefix}/api/auth`;

/** How many requests a second arrive while workers are replaced. */
const rate = 200;

describe.each(proxyNames.map(name => [name] as const))('below a path prefix behind %s', name => {
  describe.skipIf(isMissing(name))(`(needs ${name})`, () => {
    let deployment: Deployment;
    let logFile: string;
    beforeAll(async () => {
      logFile = join(await mkdtemp(join(inject('temporaryFolder'), 'log-')), 'svc.log');
      deployment = await deploy(name, {
        ...{ host: 'localhost', workers: 2, copyTo: createWriteStream(logFile) },
        env: {
          ...{
            SVC_API_PREFIX: api,
            SVC_UI_PREFIX: `${prefix}/account`,
            SVC_STATIC_PREFIX: `${prefix}/static`,
          },
          SVC_EMAIL__LOG_BODIES: 'true',
        },
      });
    }, 180_000);
    afterAll(() => deployment?.close());

    test('svc validate walks an account through every flow', async () => {
      const url = deployment.origin + api;
      const args = ['validate', '--url', url, '--insecure', '--log-source', `file:${logFile}`];
      const { code, stdout } = await svc(args);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok +logout/m)]);
    }, 180_000);

    test('HTTP/2 is spoken, and a POST without a body is none, in chunks or not', async () => {
      const { certificate, httpsPort } = deployment.proxy;
      const session = connect(deployment.origin, { ca: certificate });
      const post = async (path: string, body: string | null) => {
        const headers = { ':method': 'POST', ':path': api + path, 'content-type': 'application/json' };
        // Without END_STREAM among the headers it is only known later that there is no body.
        const stream = session.request(headers, { endStream: body === null });
        if (body !== null) stream.end(body);
        const [answer] = await once(stream, 'response');
        return [answer[':status'], JSON.parse(await text(stream)).code];
      };
      const bad = JSON.stringify({ email: 'ada@example.org', password: 'wrong horse' });
      expect(await post('/login', bad)).toEqual([401, 'invalid_credentials']);
      expect(await post('/logout', null)).toEqual([401, 'unauthenticated']);
      expect(await post('/logout', '')).toEqual([401, 'unauthenticated']);
      session.close();

      const sent = request({
        ...{ host: '127.0.0.1', port: httpsPort, servername: 'localhost', ca: certificate },
        ...{ path: `${api}/logout`, method: 'POST' },
        headers: { Host: 'localhost', 'Transfer-Encoding': 'chunked' },
      });
      sent.end();
      const [answer] = await once(sent, 'response');
      expect([answer.statusCode, JSON.parse(await text(answer)).code]).toEqual([401, 'unauthenticated']);
    });

    test(`replaces four workers at ${rate} requests a second, and no request fails`, async ({ annotate }) => {
      // With one more of its own for each, within what nginx has connections for unless it is told otherwise (512).
      const agent = new Agent({ keepAlive: true, maxSockets: 200 });
      const outcomes: Record<string, number> = {};
      const post = { method: 'POST', body: { query: '{ features { appName } }' } };
      const asked: Promise<void>[] = [];
      let longestMs = 0;
      const ask = async (i: number) => {
        const startedAt = performance.now();
        const outcome = await (i % 2
          ? deployment.ask(`${api}/graphql`, { ...post, agent })
          : deployment.ask(`${prefix}/account/login`, { agent })
        ).then(
          ({ status }) => String(status),
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        );
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        longestMs = Math.max(longestMs, performance.now() - startedAt);
      };
      let isOver = false;
      const startedAt = performance.now();
      const arriving = (async () => {
        while (!isOver) {
          const due = ((performance.now() - startedAt) / 1000) * rate;
          while (asked.length < due) asked.push(ask(asked.length));
          await sleep(2);
        }
      })();
      for (const instance of deployment.instances) await instance.reload();
      isOver = true;
      await arriving;
      await Promise.all(asked);
      const seconds = (performance.now() - startedAt) / 1000;
      agent.destroy();
      await annotate(
        `${name}, four workers replaced: ${asked.length} requests in ${seconds.toFixed(1)} s, longest ${(longestMs / 1000).toFixed(1)} s, ${JSON.stringify(outcomes)}`,
        'figure',
      );
      expect(Object.keys(outcomes)).toEqual(['200']);
    }, 180_000);
  });
});
