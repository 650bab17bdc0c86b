import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, dataEncryptionKey, type Member, signUp, startApp } from '../../support/app.ts';
import { chaptersOf } from '../../support/documents.ts';
import { type Listening, listen } from '../../support/listening.ts';
import { isMissing } from '../../support/needed.ts';
import { findProxy, makeCertificate, publicName } from '../../support/proxies.ts';
import { freePort, ServerProcess } from '../../support/server-process.ts';
import { watchedFolder } from '../../support/watched-folder.ts';
import { cookieFor, inUtf8, navigation, settings } from './proxy.ts';

// The snippets of docs/forward-auth.md, run as they stand before an application that maps the names of headers as CGI does
// (RFC 3875 §4.1.18), so that several spellings are one variable.

const kinds = [
  { name: 'nginx', program: 'nginx', changes: [] },
  {
    // Then nothing but the deletions of the snippet keeps names with underscores away.
    name: 'nginx that takes underscores',
    program: 'nginx',
    changes: [['underscores_in_headers off', 'underscores_in_headers on']],
  },
  { name: 'caddy', program: 'caddy', changes: [] },
] as const;

type Kind = (typeof kinds)[number];

interface Place {
  folder: string;
  port: number;
  /** Where the service and the application listen. */
  upstreams: readonly [number, number];
}

/** Returns the snippet, for these ports. @throws {Error} when it does not name them */
async function snippetOf({ program, changes }: Kind, { upstreams: [accounts, application] }: Place) {
  const blocks = (await chaptersOf('docs/forward-auth.md')).get(program === 'nginx' ? 'nginx' : 'Caddy')!;
  const replacements = [
    ...changes,
    ['127.0.0.1:8000', `127.0.0.1:${accounts}`],
    ['127.0.0.1:3000', `127.0.0.1:${application}`],
  ];
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from!)) throw new Error(`the snippet has no ${from}`);
    return text.replaceAll(from!, to!);
  }, blocks[0]!.text);
}

async function startNginx(kind: Kind, place: Place) {
  const { folder, port } = place;
  const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(folder, 'nginx.conf');
  const snippet = await snippetOf(kind, place);
  await writeFile(
    file,
    `daemon off;
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {}
    http {
      access_log off;
      ${spools.map(spool => `${spool}_temp_path ${folder}/${spool};`).join('\n')}
      ${[publicName, otherName]
        .map(
          name => `server {
        listen 127.0.0.1:${port} ssl;
        server_name ${name};
        ssl_certificate ${folder}/certificate.pem;
        ssl_certificate_key ${folder}/key.pem;
        ${name === publicName ? snippet : snippet.replace(/^location \/(?:api|account|svc|\.well-known).*?^\}/gms, '')}
      }`,
        )
        .join('\n')}
    }`,
  );
  const args = ['-e', 'stderr', '-p', folder, '-c', file];
  return { command: await findProxy('nginx'), args, readyLine: /start worker process/ };
}

async function startCaddy(kind: Kind, place: Place) {
  const { folder, port } = place;
  const file = join(folder, 'Caddyfile');
  const snippet = await snippetOf(kind, place);
  const tls = `\ttls ${folder}/certificate.pem ${folder}/key.pem\n`;
  const site = [publicName, otherName]
    .map(name => snippet.replace(`${publicName} {\n`, `${name} {\n${tls}`))
    // There it has no place of Gatehouse.
    .map((text, i) =>
      i === 0
        ? text
        : text.replace('path /api/auth/* /account/* /svc-static/* /.well-known/*', 'path /nothing'),
    )
    .join('\n');
  const bound = `default_bind 127.0.0.1\n\thttp_port ${await freePort()}\n\thttps_port ${port}`;
  await writeFile(file, `{\n\tadmin off\n\t${bound}\n}\n${site}`);
  const args = [`XDG_CONFIG_HOME=${folder}`, `XDG_DATA_HOME=${folder}`, await findProxy('caddy'), 'run'];
  return {
    command: 'env',
    args: [...args, '--config', file, '--adapter', 'caddyfile'],
    readyLine: /serving initial configuration/,
  };
}

/** A host beside that of `base_url`. */
const otherName = 'wiki.lanterns.example';

/** An application that tells which headers it has got, as variables. */
const startApplication = () =>
  listen((req, res) => {
    const variables: Record<string, string[]> = {};
    for (let i = 0; i < req.rawHeaders.length; i += 2) {
      const name = req.rawHeaders[i]!.toUpperCase().replace(/[^A-Z0-9]/g, '_');
      variables[name] = [...(variables[name] ?? []), req.rawHeaders[i + 1]!];
    }
    res.end(JSON.stringify({ variables, method: req.method, url: req.url }));
  });

/** Every spelling of a name that becomes the same variable. */
const spellings = (name: string): string[] =>
  name
    .split('-')
    .reduce<string[]>(
      (sofar, part) =>
        sofar.length === 0 ? [part] : sofar.flatMap(each => ['-', '_', '.'].map(mark => each + mark + part)),
      [],
    );

/** Further ones, which lighttpd reads as the same variable. */
const oddSpellings = [..."!#$%&'*+^`|~"].map(mark => `Remote${mark}User`);

const own = ['Remote-User', 'Remote-Email', 'Remote-Name', 'Remote-Groups', 'X-Access-Token'];
const forged = Object.fromEntries(own.flatMap(spellings).map(name => [name, 'forged']));

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  body: any;
}

describe.each(kinds)('the snippet of $name', kind => {
  describe.skipIf(isMissing(kind.program))(`(needs ${kind.program})`, () => {
    let app: App;
    let application: Listening;
    let proxy: ServerProcess;
    let port: number;
    let member: Member;
    let Cookie: string;
    beforeAll(async () => {
      application = await startApplication();
      port = await freePort();
      app = await startApp({
        settings: {
          ...settings,
          baseUrl: `https://${publicName}:${port}`,
          forwardAuthHosts: [`${otherName}:${port}`],
          roles: ['editor'],
          ...{ enableTokens: true, dataEncryptionKey },
        },
      });
      const folder = await watchedFolder(kind.program);
      await makeCertificate(folder.path, publicName);
      const upstreams = [Number(new URL(app.origin).port), application.port] as const;
      const start = kind.program === 'nginx' ? startNginx : startCaddy;
      const program = await start(kind, { folder: folder.path, port, upstreams });
      proxy = new ServerProcess({ ...program, stopSignal: 'SIGTERM', abortSignal: 'SIGTERM' }, folder);
      await proxy.start();
      member = await signUp(app);
      await app.gatehouse.users.update(member.id, { fullName: '山田 花子', roles: ['editor'] });
      Cookie = await cookieFor(app, member);
    }, 60_000);
    afterAll(async () => {
      await proxy?.close();
      await application?.close();
      await app?.close();
    });

    /** Asks the application through the proxy. */
    async function ask(
      headers: Record<string, string> = {},
      method = 'GET',
      path = '/wiki?page=2',
      name = publicName,
    ): Promise<Reply> {
      const sent = request({
        ...{ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false, agent: false },
        ...{ method, path, headers: { Host: `${name}:${port}`, ...headers } },
      }).end();
      const [response] = await once(sent, 'response');
      const isJson = response.statusCode === 200;
      return {
        status: response.statusCode,
        headers: response.headers,
        body: isJson ? await json(response) : response.resume(),
      };
    }

    test('tells the application who it is, in UTF-8, and nothing that the client sends', async () => {
      const { status, body } = await ask({ ...forged, Cookie: `theme=dark; ${Cookie}; lang=ja` });
      expect([status, body.method, body.url]).toEqual([200, 'GET', '/wiki?page=2']);
      const { REMOTE_USER, REMOTE_EMAIL, REMOTE_NAME, REMOTE_GROUPS, COOKIE } = body.variables;
      expect([REMOTE_USER, REMOTE_EMAIL, REMOTE_GROUPS]).toEqual([[member.id], [member.email], ['editor']]);
      expect(REMOTE_NAME.map(inUtf8)).toEqual(['山田 花子']);
      expect(COOKIE).toEqual(['theme=dark; lang=ja']);
      expect(JSON.stringify(body)).not.toMatch(/forged|svc|eyJ/);
      // Nor what it wrote in one spelling alone.
      for (const name of [...own.flatMap(spellings), ...oddSpellings]) {
        const one = await ask({ Cookie, [name]: 'forged' });
        expect(JSON.stringify(one.body), name).not.toContain('forged');
      }
    });

    test('takes the cookie away where there is no other, and what has no value', async () => {
      const { id, token } = await signUp(app);
      const { body } = await ask({
        Cookie: await cookieFor(app, { token }),
        'Remote-Name': 'forged',
        'Remote-Groups': 'editor',
      });
      const { REMOTE_USER, REMOTE_NAME = [''], REMOTE_GROUPS = [''], COOKIE = [''] } = body.variables;
      expect([REMOTE_USER, REMOTE_NAME, REMOTE_GROUPS, COOKIE]).toEqual([[id], [''], [''], ['']]);
    });

    test('leads a person to sign in, and refuses a program', async () => {
      const { status, headers } = await ask({ ...forged, ...navigation });
      const page = new URL(String(headers.location));
      expect([status, page.origin + page.pathname]).toEqual([
        303,
        `https://${publicName}:${port}/account/login`,
      ]);
      expect(page.searchParams.get('next')).toBe('/wiki?page=2');
      expect((await ask(forged)).status).toBe(401);
    });

    test('lets nothing be changed from another site', async () => {
      const from = async (headers: Record<string, string>) =>
        (await ask({ Cookie, ...headers }, 'POST')).status;
      expect(await from({ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' })).toBe(401);
      expect(await from({ Origin: `https://${publicName}:${port}` })).toBe(200);
      // Headers that the client sends about the request do not count.
      const lie = {
        'X-Forwarded-Method': 'GET',
        'X-Original-Method': 'GET',
        'X-Original-URL': `https://${publicName}:${port}/`,
      };
      expect(await from(lie)).toBe(401);
    });

    test('brings a person to another host, once, by a state and a ticket', async () => {
      const at = (Cookie: string, path: string) => ask({ ...navigation, Cookie }, 'GET', path, otherName);
      const cookieIn = ({ headers }: Reply) => {
        expect(headers['set-cookie']).toHaveLength(1);
        return headers['set-cookie']![0]!.split(';', 1)[0]!;
      };
      const pathIn = ({ headers }: Reply) => {
        const { pathname, search } = new URL(String(headers.location));
        return pathname + search;
      };
      const first = await at('', '/page?a=1');
      expect([first.status, new URL(String(first.headers.location)).host]).toEqual([
        303,
        `${publicName}:${port}`,
      ]);
      const state = cookieIn(first);
      const started = await ask({ ...navigation, Cookie }, 'GET', pathIn(first));
      expect([started.status, new URL(String(started.headers.location)).host]).toEqual([
        303,
        `${otherName}:${port}`,
      ]);
      const ticket = pathIn(started);
      const back = await at(state, ticket);
      expect([back.status, back.headers.location]).toEqual([303, `https://${otherName}:${port}/page?a=1`]);
      const { status, body } = await at(`${state}; ${cookieIn(back)}; theme=dark`, '/page?a=1');
      expect([status, body.variables.REMOTE_USER, body.variables.COOKIE]).toEqual([
        200,
        [member.id],
        ['theme=dark'],
      ]);
      expect((await at(state, ticket)).status).toBe(403);
      expect((await at('', ticket)).status).toBe(403);
    });

    test('leaves the API and the pages to Gatehouse', async () => {
      const path = '/api/auth/features';
      expect(await ask({}, 'GET', path)).toMatchObject({ status: 200, body: { browser_sessions: true } });
    });

    test('leaves the keys of tokens to everybody who verifies one', async () => {
      const issuer = `https://${publicName}:${port}`;
      const jwks_uri = `${issuer}/.well-known/jwks.json`;
      expect(await ask({}, 'GET', '/.well-known/openid-configuration')).toMatchObject({
        ...{ status: 200, body: { issuer, jwks_uri } },
      });
      expect(await ask({}, 'GET', '/.well-known/jwks.json')).toMatchObject({
        ...{ status: 200, body: { keys: expect.any(Array) } },
      });
    });

    // A script in a page of this host could read there what its cookies and the session are good for.
    test.each(['', '?resource=orders', '?mode=nginx'])(
      'asks Gatehouse nothing for a client: %j',
      async query => {
        const { headers } = await ask(
          {
            Cookie: `application=secret; ${Cookie}`,
            ...{ 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/', 'X-Original-Method': 'GET' },
            'X-Original-URL': `https://${publicName}:${port}/`,
          },
          'GET',
          `/api/auth/forward-auth${query}`,
        );
        expect(headers['remote-user']).toBeUndefined();
        expect(headers.cookie).toBeUndefined();
      },
    );

    test('lets no other site open a WebSocket', async () => {
      const from = async (Origin: string) =>
        (await ask({ Cookie, Origin, Connection: 'Upgrade', Upgrade: 'websocket' })).status;
      expect(await from('https://evil.example')).toBe(401);
      expect(await from(`https://${publicName}:${port}`)).toBe(200);
    });

    test('lets no client remove who it is', async () => {
      for (const Connection of [
        'Remote-User',
        'close, remote-email',
        'Cookie, Remote-User, x-access-token',
      ]) {
        const { status, body } = await ask({ Cookie: `theme=dark; ${Cookie}`, Connection });
        const { REMOTE_USER, REMOTE_EMAIL, COOKIE } = body.variables ?? {};
        expect([status, REMOTE_USER, REMOTE_EMAIL, COOKIE]).toEqual([
          ...[200, [member.id], [member.email], ['theme=dark']],
        ]);
      }
    });
  });
});

test('every spelling is deleted by name', async () => {
  const chapters = await chaptersOf('docs/forward-auth.md');
  const [nginx = '', traefik] = ['nginx', 'Traefik'].map(name => chapters.get(name)![0]!.text);
  expect(nginx).toMatch(/^ignore_invalid_headers on;$/m);
  for (const name of own.flatMap(spellings)) {
    // Names with dots are invalid to nginx, which cannot name them.
    if (name.includes('_') && !name.includes('.')) expect(nginx).toContain(`proxy_set_header ${name} "";`);
    expect(traefik).toContain(`${name}: ""`);
  }
});

test('every place of Gatehouse is left to it', async () => {
  const chapters = await chaptersOf('docs/forward-auth.md');
  const [nginx = '', caddy, traefik] = ['nginx', 'Caddy', 'Traefik'].map(
    name => chapters.get(name)![0]!.text,
  );
  for (const place of ['/api/auth/', '/account/', '/svc-static/', '/.well-known/']) {
    const [, location] = nginx.split(`location ${place} {\n`);
    expect(location, place).toMatch(/^ {4}proxy_pass http:\/\/127\.0\.0\.1:8000;/);
    expect(/^\t\tpath (.*)$/m.exec(caddy!)?.[1]?.split(' ')).toContain(`${place}*`);
    expect(traefik).toContain(`PathPrefix(\`${place}\`)`);
  }
});
