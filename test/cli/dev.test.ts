import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, serve, svc } from './support.ts';

const ada = { email: 'ada@example.org', password: 'correct horse' };

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** The status of a request with these headers, of which fetch would set some by itself. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(url, { headers }, response => {
    resolve(response.statusCode);
    response.destroy();
  });
  sent.on('error', reject).end();
  return promise;
}

/** Reads the stream of the inbox until it has so many messages. */
async function messagesOf(origin: string, count: number, headers: Record<string, string> = {}) {
  const { body } = await fetch(`${origin}/svc-dev/inbox/messages`, { headers });
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of body!) {
    text += decoder.decode(bytes, { stream: true });
    const found = [...text.matchAll(/^id: (.+)\ndata: (.+)\n\n/gm)];
    if (found.length < count) continue;
    return {
      began: text.includes('event: begin'),
      messages: found.map(([, id, data]) => ({ id: id!, ...JSON.parse(data!) })),
    };
  }
  throw new Error(`the stream ended: ${text}`);
}

/** The path of the link of the first administrator, and its token. */
async function linkOf(written: (pattern: RegExp) => Promise<RegExpMatchArray>) {
  const [, token] = await written(/\/svc-dev\/first-administrator\?token=(\S+)$/m);
  return token!;
}

let dev: Awaited<ReturnType<typeof serve>>;
let end: () => void;
beforeAll(async () => {
  dev = await serve(['--dev'], { until: how => (end = how) });
});
afterAll(() => end?.());

describe('the inbox of development', () => {
  test('has each mail as it is sent, with its links, and its HTML apart', async () => {
    const { origin, api, written } = dev;
    const local = origin.replace('127.0.0.1', 'localhost');
    await written(new RegExp(`^Mails and text messages: ${local}/svc-dev/inbox$`, 'm'));
    const live = messagesOf(origin, 2);
    await post(`${api}/register`, ada);
    await post(`${api}/register`, { ...ada, email: 'grace@example.org' });
    const { began, messages } = await live;
    expect(began).toBe(true);
    expect(messages.map(({ kind, to }) => [kind, to])).toEqual([
      ['mail', 'ada@example.org'],
      ['mail', 'grace@example.org'],
    ]);
    const [first, second] = messages;
    expect(first.links).toEqual([expect.stringMatching(/\/account\/verify\?token=[\w-]+$/)]);
    expect(first.text).toContain(first.links[0]);

    const html = await fetch(`${origin}/svc-dev/inbox/${first.number}.html`);
    expect(await html.text()).toContain(first.links[0]);
    expect(html.headers.get('Content-Security-Policy')).toContain('sandbox allow-popups');
    expect(html.headers.get('Content-Security-Policy')).not.toContain('script');
    expect((await fetch(`${origin}/svc-dev/inbox/99.html`)).status).toBe(404);

    // A browser that connects again gets what it does not have; one that knows another process gets all.
    const rest = await messagesOf(origin, 1, { 'Last-Event-ID': first.id });
    expect(rest).toMatchObject({ began: false, messages: [{ id: second.id }] });
    const anew = await messagesOf(origin, 2, { 'Last-Event-ID': `another ${second.number}` });
    expect(anew.began).toBe(true);
  });

  test('is linked from the pages', async () => {
    const page = await fetch(`${dev.origin}/account/register`);
    expect(await page.text()).toContain('href="/svc-dev/inbox"');
  });

  test('answers this machine alone, by its own names, and through no proxy', async () => {
    const { origin } = dev;
    const { port } = new URL(origin);
    const url = `${origin}/svc-dev/inbox`;
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect(await statusOf(url, { Host: host })).toBe(200);
    for (const host of [`evil.example:${port}`, `localhost.evil.example:${port}`, '127.0.0.1.nip.io', 'x@y'])
      expect(await statusOf(url, { Host: host })).toBe(404);
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Forwarded-Host', 'Via'])
      expect(await statusOf(url, { [name]: 'x' })).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });

  test('keeps no server from stopping while a browser follows it', async () => {
    const { origin, stop } = await serve(['--dev']);
    const { body } = await fetch(`${origin}/svc-dev/inbox/messages`);
    const startedAt = performance.now();
    const ended = stop();
    for await (const _ of body!);
    expect((await ended).code).toBe(0);
    // A stop waits ten seconds for a response that does not end.
    expect(performance.now() - startedAt).toBeLessThan(9000);
  });

  test('is not there without --dev, and nothing of it is loaded', async () => {
    const hook = `
      import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (url.includes('/cli/dev/')) console.log('loaded ' + url);
        return next(url, context);
      } });`;
    const env = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
      SVC_ENABLE_UI_ROUTER: 'true',
    };
    // The sources, whose files have the names of what they are.
    const program = join(import.meta.dirname, '../../src/cli/main.ts');
    const { origin, stop } = await serve([], { env, program });
    for (const path of ['/inbox', '/inbox/messages', '/inbox.js', '/first-administrator?token=x', ''])
      expect((await fetch(`${origin}/svc-dev${path}`)).status).toBe(404);
    expect((await fetch(`${origin}/static/auth/development/inbox.js`)).status).toBe(404);
    expect(await (await fetch(`${origin}/account/register`)).text()).not.toContain('svc-dev');
    expect((await stop()).output).not.toContain('loaded');
    const other = await serve(['--dev'], { env, program });
    expect((await other.stop()).output).toContain('/cli/dev/open');
  });
});

describe('the first administrator', () => {
  test('is a new account; the link works once, and by no GET', async () => {
    const { origin, api, written } = dev;
    const token = await linkOf(written);
    const url = `${origin}/svc-dev/first-administrator`;
    const own = { Origin: origin };
    const newcomer = { ...ada, email: 'admin@example.org' };
    for (let look = 0; look < 2; look++) expect((await fetch(`${url}?token=${token}`)).status).toBe(200);
    expect((await fetch(`${url}?token=other`)).status).toBe(410);
    expect((await post(url, { token, ...newcomer })).status).toBe(403);
    expect((await post(url, { token, ...newcomer }, { Origin: 'http://evil.example' })).status).toBe(403);
    expect((await post(url, { token: 'other', ...newcomer }, own)).status).toBe(410);
    const weak = await post(url, { token, ...newcomer, password: 'short' }, own);
    expect([weak.status, await weak.json()]).toEqual([
      422,
      { code: 'invalid_input', detail: expect.stringContaining('password') },
    ]);

    const presses = await Promise.all([1, 2, 3].map(() => post(url, { token, ...newcomer }, own)));
    expect(presses.map(({ status }) => status).toSorted()).toEqual([200, 410, 410]);
    const { access_token } = await (await post(`${api}/login`, newcomer)).json();
    const me = await fetch(`${api}/me`, { headers: { Authorization: `Bearer ${access_token}` } });
    expect(await me.json()).toMatchObject({ email: newcomer.email, is_superuser: true, is_verified: true });
    expect((await fetch(`${url}?token=${token}`)).status).toBe(410);

    const audit = await fetch(`${api}/admin/audit?operation=createAdmin`, {
      headers: { Authorization: `Bearer ${access_token}` },
    });
    expect((await audit.json()).items[0]).toMatchObject({
      ...{ outcome: 'ok', by: 'cli', actor: expect.any(String), changes: ['created', 'is_superuser:true'] },
    });
  });

  test('is the account that is signed in, and then verified', async () => {
    const { origin, api, stop, written } = await serve(['--dev'], {
      env: { SVC_REQUIRE_VERIFICATION: 'false' },
    });
    const token = await linkOf(written);
    await post(`${api}/register`, ada);
    const { access_token } = await (await post(`${api}/login`, ada)).json();
    const session = { Authorization: `Bearer ${access_token}` };
    const answer = await post(
      `${origin}/svc-dev/first-administrator`,
      { token },
      { Origin: origin, ...session },
    );
    expect(await answer.json()).toEqual({ email: ada.email, created: false });
    const me = await fetch(`${api}/me`, { headers: session });
    expect(await me.json()).toMatchObject({ is_superuser: true, is_verified: true });
    await stop();
  });

  test('is asked for only while there is no superuser, and the link dies with the first', async () => {
    const env = { SVC_DATABASE_URL: 'sqlite:///./svc.db' };
    const cwd = await emptyFolder();
    const first = await serve(['--dev'], { cwd, env });
    const token = await linkOf(first.written);
    const made = await svc(['create-admin', '--email', ada.email, '--password', ada.password], { cwd, env });
    expect(made.code).toBe(0);
    const url = `${first.origin}/svc-dev/first-administrator`;
    expect((await fetch(`${url}?token=${token}`)).status).toBe(410);
    expect(
      (await post(url, { token, ...ada, email: 'b@example.org' }, { Origin: first.origin })).status,
    ).toBe(410);
    await first.stop();
    const { output } = await (await serve(['--dev'], { cwd, env })).stop();
    expect(output).toContain('/svc-dev/inbox');
    expect(output).not.toContain('first-administrator');
  });
});
