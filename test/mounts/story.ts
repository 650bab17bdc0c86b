import { connect } from 'node:net';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import type { Program } from '../support/program.ts';

/** What every mount must do, told from outside. */
interface Stage {
  origin: string;
  program: Program;
}

const password = 'correct horse battery';

function clientOf({ origin }: Stage) {
  async function ask(method: string, path: string, body?: unknown, token?: string) {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
      body: isJson ? (JSON.parse(text) as any) : text,
    };
  }
  return ask;
}

/** An account from its registration to its deletion, over REST, GraphQL and the host's own route. */
export async function tellAccount(stage: Stage): Promise<void> {
  const ask = clientOf(stage);
  const email = 'ada@example.org';
  const from = stage.program.output.length;
  expect(await ask('POST', '/api/auth/register', { email, password })).toMatchObject({ status: 201 });
  const [link] = await stage.program.waitFor(/http\S+token=[\w.-]+/, from);
  expect(link).toContain(`${stage.origin}/account/verify?`);
  const token = new URL(link).searchParams.get('token');
  expect((await ask('POST', '/api/auth/verify', { token })).status).toBe(200);

  const query = `mutation($input: LoginInput!) { login(input: $input) { __typename ... on Session { accessToken } } }`;
  const signedIn = await ask('POST', '/api/auth/graphql', {
    query,
    variables: { input: { email, password } },
  });
  expect(signedIn.body).toMatchObject({ data: { login: { __typename: 'Session' } } });
  const { accessToken } = signedIn.body.data.login;
  const me = { query: '{ me { email fullName } }' };
  await ask('PATCH', '/api/auth/me', { full_name: 'Ada' }, accessToken);
  expect((await ask('POST', '/api/auth/graphql', me, accessToken)).body).toEqual({
    data: { me: { email, fullName: 'Ada' } },
  });
  const orders = await ask('GET', '/orders', undefined, accessToken);
  expect(orders).toMatchObject({ status: 200, body: { orders: [{ id: 1, item: 'Lantern' }] } });
  expect(orders.body.customer).toBe((await ask('GET', '/api/auth/me', undefined, accessToken)).body.id);

  await ask('POST', '/api/auth/logout', {}, accessToken);
  for (const bearer of [undefined, 'made.up.token', accessToken]) {
    expect((await ask('GET', '/orders', undefined, bearer)).status).toBe(401);
    expect((await ask('GET', '/api/auth/me', undefined, bearer)).status).toBe(401);
  }
  const again = await ask('POST', '/api/auth/login', { email, password });
  const path = '/api/auth/account';
  expect((await ask('DELETE', path, { current_password: password }, again.body.access_token)).status).toBe(
    200,
  );
  expect((await ask('GET', '/orders', undefined, again.body.access_token)).status).toBe(401);
  expect((await ask('POST', '/api/auth/login', { email, password })).status).toBe(401);
}

/** A page that the host renders, with a form, for a person whose browser keeps the session. */
export async function tellShop(stage: Stage): Promise<void> {
  const { origin, program } = stage;
  const ask = clientOf(stage);
  const email = 'grace@example.org';
  const from = program.output.length;
  await ask('POST', '/api/auth/register', { email, password });
  const [link] = await program.waitFor(/http\S+token=[\w.-]+/, from);
  await ask('POST', '/api/auth/verify', { token: new URL(link).searchParams.get('token') });
  const { body: session } = await ask('POST', '/api/auth/login', { email, password });
  const kept = await ask('POST', '/api/auth/browser-session', undefined, session.access_token);
  expect(kept.status).toBe(204);
  const [cookie = ''] = kept.headers.getSetCookie();
  expect(cookie).toMatch(/^svc=[^;]+; .*HttpOnly/);
  const open = (path: string, headers: Record<string, string> = {}, form?: URLSearchParams) =>
    fetch(origin + path, {
      ...(form && { method: 'POST', body: form }),
      headers: { Accept: 'text/html', ...headers },
      redirect: 'manual',
    });
  const Cookie = cookie.split(';')[0]!;
  expect(await (await open('/shop', { Cookie })).text()).toContain(email);
  const stranger = await open('/shop');
  expect([stranger.status, stranger.headers.get('Location')]).toEqual([307, '/account/login?next=/shop']);

  const form = new URLSearchParams({ item: 'A <lamp>' });
  const elsewhere = await open('/shop/basket', { Cookie, Origin: 'https://evil.example' }, form);
  expect(elsewhere.status).toBe(401);
  const own = await open('/shop/basket', { Cookie, Origin: origin }, form);
  expect([own.status, own.headers.get('Location')]).toEqual([303, '/shop']);
  // Svelte escapes what begins an element alone.
  expect(await (await open('/shop', { Cookie })).text()).toMatch(/A &lt;lamp(?:&gt;|>)/);

  await ask('POST', '/api/auth/logout', {}, session.access_token);
  expect((await open('/shop', { Cookie })).status).toBe(307);
  expect((await fetch(`${origin}/api/auth/me`, { headers: { Cookie } })).status).toBe(401);
}

/** A page that the browser renders with the hooks of `gatehouse-auth/react`, and one of the server that it leaves by them. */
export async function tellHooks(stage: Stage, browser: Browser): Promise<void> {
  const { origin, program } = stage;
  const ask = clientOf(stage);
  const email = 'hedy@example.org';
  const from = program.output.length;
  await ask('POST', '/api/auth/register', { email, password });
  const [link] = await program.waitFor(/http\S+token=[\w.-]+/, from);
  await ask('POST', '/api/auth/verify', { token: new URL(link).searchParams.get('token') });
  const context = await browser.newContext();
  const page = await context.newPage();
  // A development server compiles what is first asked for.
  page.setDefaultTimeout(120_000);
  await page.goto(origin);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: `Basket of ${email}` }).waitFor();
  await page.goto(origin);
  await page.getByText(`Welcome, ${email}`).waitFor();
  await page.getByRole('link', { name: 'To your basket' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await context.cookies()).toEqual([]);
  await page.goto(`${origin}/shop`);
  expect(page.url()).toContain('/account/login');
  await context.close();
}

/** Pages and their files, as a browser loads them. */
export async function tellPages(stage: Stage): Promise<void> {
  const ask = clientOf(stage);
  const page = await ask('GET', '/account/login');
  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
  const files = [...page.body.matchAll(/(?:src|href)="(\/svc-static\/[^"]+)"/g)].map(([, path]) => path);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const { status, body, headers } = await ask('GET', file);
    expect([file, status]).toEqual([file, 200]);
    // Whatever compressed it on the way, the browser has undone it.
    expect(body).toMatch(/^[\x20-\x7e\s\u2010-\u2026]*[;{}/*]/);
    expect(headers.get('Cache-Control')).toContain('immutable');
  }
  expect((await ask('HEAD', '/account/login')).status).toBe(200);
  const etag = page.headers.get('ETag')!;
  const known = await fetch(`${stage.origin}/account/login`, { headers: { 'If-None-Match': etag } });
  expect(known.status).toBe(304);
}

/** Requests that are refused, each with its problem document, and clients that leave. */
export async function tellErrors(stage: Stage): Promise<void> {
  const ask = clientOf(stage);
  const login = '/api/auth/login';
  const raw = (body: string, type = 'application/json') =>
    fetch(stage.origin + login, { method: 'POST', headers: { 'Content-Type': type }, body });
  const codeOf = async (response: Response) => {
    const { code } = (await response.json()) as { code: string };
    return [response.status, response.headers.get('Content-Type'), code];
  };
  const problem = 'application/problem+json';
  expect(await codeOf(await raw('{'))).toEqual([400, problem, 'bad_json']);
  expect(await codeOf(await raw('x', 'text/plain'))).toEqual([415, problem, 'unsupported_media_type']);
  expect(await codeOf(await raw('[]'))).toEqual([422, problem, 'invalid_input']);
  const large = JSON.stringify({ email: 'x'.repeat(70_000) });
  expect(await codeOf(await raw(large))).toEqual([413, problem, 'body_too_large']);
  const me = await ask('GET', '/api/auth/me');
  expect([me.status, me.headers.get('WWW-Authenticate'), me.body.code]).toEqual([
    ...[401, 'Bearer', 'unauthenticated'],
  ]);
  const put = await ask('PUT', '/api/auth/me', {});
  expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, HEAD, PATCH, OPTIONS']);
  expect((await ask('GET', '/nothing')).status).toBe(404);
  await leaveAmidBody(stage);
  const statuses: number[] = [];
  while (statuses.length < 20 && statuses.at(-1) !== 429) {
    // Neither another account nor another address that a visitor claims to have gives another count.
    const { status, headers } = await fetch(stage.origin + login, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Forwarded-For': `198.51.100.${statuses.length + 1}`,
      },
      body: JSON.stringify({ email: `nobody${statuses.length}@example.org`, password }),
    });
    statuses.push(status);
    if (status === 429) expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
  }
  expect(statuses.at(-1)).toBe(429);
}

/** A client that disconnects amid its body does not affect others. */
async function leaveAmidBody({ origin }: Stage): Promise<void> {
  const { port } = new URL(origin);
  const socket = connect(Number(port), 'localhost');
  const closed = new Promise(resolve => socket.once('close', resolve));
  const head = 'POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  await new Promise<void>(resolve =>
    socket.write(`${head}Content-Length: 50\r\n\r\n{"email"`, () => resolve()),
  );
  socket.destroy();
  await closed;
  expect((await fetch(`${origin}/api/auth/features`)).status).toBeLessThan(500);
}
