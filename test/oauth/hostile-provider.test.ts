import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type App, startApp } from '../support/app.ts';

const baseUrl = 'https://app.example';
const clientId = 'client-of-the-tests';
const clientSecret = 'a secret of the client of the tests';
/** How long anything with a provider may take (CONTRACT §4.5), in milliseconds. */
const limitMs = 10_000;

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
type Answer = (res: ServerResponse) => unknown;
/** What the ID token says when it is honest. */
type Honest = Record<'iss' | 'aud' | 'sub' | 'nonce' | 'email', string> & { iat: number; exp: number };

let keys: Keys;
let otherKeys: Keys;
const endings: (() => Promise<void>)[] = [];
beforeAll(async () => {
  [keys, otherKeys] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
});
afterAll(() => Promise.all(endings.map(end => end())));

const json =
  (body: unknown, status = 200): Answer =>
  res =>
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
const hang: Answer = () => {};
const fail: Answer = res => res.writeHead(500).end('down');
const garbage: Answer = res => res.writeHead(200, { 'Content-Type': 'application/json' }).end('<html>{');
const noise: Answer = res => res.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
const elsewhere: Answer = res => res.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end();
/** Begins to answer and never ends. */
const stall: Answer = res => res.writeHead(200, { 'Content-Type': 'application/json' }).write('{"a":"');
/** Answers without end. */
const flood: Answer = res => {
  res.writeHead(200, { 'Content-Type': 'application/json' }).write('{"a":"');
  const more = () => {
    while (!res.destroyed && res.write('x'.repeat(65_536)));
  };
  res.on('drain', more);
  more();
};
const hangUp: Answer = res => res.socket?.destroy();

interface Lies {
  discovery?: Answer;
  keys?: Answer;
  token?: Answer;
  /** The ID token in place of the honest one; null for none. */
  idToken?: (honest: Honest) => string | null | Promise<string | null>;
}

interface Told {
  app: App;
  issuer: string;
  /** The forms that came to the token endpoint. */
  asked: URLSearchParams[];
  start(): ReturnType<App['rest']>;
  /** Finishes a flow and answers where the browser is sent. */
  finish(): Promise<string>;
}

/** An app whose provider lies, both gone after the tests. */
async function against(lies: Lies): Promise<Told> {
  const asked: URLSearchParams[] = [];
  let nonce = '';
  const server = createServer((req, res) => void serve(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app = await startApp({
    settings: {
      ...{ baseUrl, enableOauth: true },
      oauth: { googleClientId: clientId, googleClientSecret: clientSecret, googleIssuer: issuer },
    },
  });
  endings.push(async () => {
    server.close();
    server.closeAllConnections();
    await app.close();
  });

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    if (req.url === '/.well-known/openid-configuration') (lies.discovery ?? json(metadata(issuer)))(res);
    else if (req.url === '/keys') (lies.keys ?? json(await published()))(res);
    else {
      asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      (lies.token ?? json(await tokens()))(res);
    }
  }

  async function published() {
    const key = await exportJWK(keys.publicKey);
    return { keys: [{ ...key, kid: 'one', alg: 'RS256', use: 'sig' }] };
  }

  async function tokens() {
    const now = Math.floor(Date.now() / 1000);
    const honest: Honest = {
      ...{ iss: issuer, aud: clientId, sub: 'someone', email: 'someone@people.example' },
      ...{ nonce, iat: now, exp: now + 300 },
    };
    const idToken = await (lies.idToken ?? (claims => sign(claims)))(honest);
    return {
      access_token: 'x',
      token_type: 'Bearer',
      expires_in: 300,
      ...(idToken && { id_token: idToken }),
    };
  }

  const start = () => app.rest('GET', '/oauth/google/start');
  return {
    ...{ app, issuer, asked, start },
    async finish() {
      const { status, headers } = await start();
      expect(status).toBe(302);
      const { searchParams } = new URL(headers.get('Location')!);
      nonce = searchParams.get('nonce')!;
      const query = new URLSearchParams({ code: 'a-code', state: searchParams.get('state')! });
      const reply = await app.rest('GET', `/oauth/google/callback?${query}`);
      expect(reply.status).toBe(302);
      const location = reply.headers.get('Location')!;
      // The state is used up, however it ended.
      const again = await app.rest('GET', `/oauth/google/callback?${query}`);
      expect(again.headers.get('Location')).toBe(page('bad_state'));
      return location;
    },
  };
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
});

const sign = (claims: JWTPayload, { privateKey } = keys, kid = 'one') =>
  new SignJWT({ email_verified: true, ...claims }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);

const page = (code: string) => `${baseUrl}/account/login?error=${code}`;

/** Nobody came in: no account, no identity, no result to exchange; and the log holds nothing that was sent. */
async function expectNobody({ app }: Told): Promise<void> {
  const { users, oauth_identities } = app.gatehouse.repositories;
  expect(await users.count({})).toBe(0);
  expect(await oauth_identities.findBySubject('google', 'someone')).toBeNull();
  const written = JSON.stringify(app.logs);
  for (const secret of [clientSecret, 'a-code', 'someone@people.example'])
    expect(written).not.toContain(secret);
}

async function timed<T>(action: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await action();
  expect(performance.now() - started).toBeLessThan(limitMs);
  return result;
}

test('an honest answer signs in, and the code is exchanged with verifier and secret', async () => {
  const told = await against({});
  expect(await told.finish()).toContain('?id=');
  expect(await told.app.gatehouse.repositories.users.count({ kind: { isVerified: true } })).toBe(1);
  expect(told.asked).toHaveLength(1);
  expect(Object.fromEntries(told.asked[0]!)).toMatchObject({
    grant_type: 'authorization_code',
    code: 'a-code',
    redirect_uri: `${baseUrl}/api/auth/oauth/google/callback`,
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  });
});

test('a clock that is half a minute off is forgiven, and no more', async () => {
  const lies: Lies = {};
  const told = await against(lies);
  const endedAgo = (seconds: number) => (claims: Honest) =>
    sign({ ...claims, exp: Math.floor(Date.now() / 1000) - seconds });
  lies.idToken = endedAgo(20);
  expect(await told.finish()).toContain('?id=');
  lies.idToken = endedAgo(40);
  expect(await told.finish()).toBe(page('id_token_failed'));
});

test('what the provider publishes is fetched once for many sign-ins, and anew when it may have changed', async () => {
  // A provider changes its keys; and somebody makes us ask for them again and again by tokens of unknown keys.
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = { discovery: 0, keys: 0 };
  let [key, kid] = [keys, 'one'];
  const lies: Lies = {
    discovery: res => {
      asked.discovery++;
      json(metadata(told.issuer))(res);
    },
    keys: async res => {
      asked.keys++;
      json({ keys: [{ ...(await exportJWK(key.publicKey)), kid, alg: 'RS256', use: 'sig' }] })(res);
    },
    idToken: claims => sign(claims, key, kid),
  };
  const told = await against(lies);
  for (let i = 0; i < 3; i++) expect(await told.finish()).toContain('?id=');
  expect(asked).toEqual({ discovery: 1, keys: 1 });

  [key, kid] = [otherKeys, 'two'];
  for (let i = 0; i < 3; i++) expect(await told.finish()).toBe(page('id_token_failed'));
  expect(asked.keys).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(await told.finish()).toContain('?id=');
  expect(asked).toEqual({ discovery: 1, keys: 2 });

  // A key that was taken back: nobody says so, so it ends with what was kept.
  [key, kid] = [keys, 'one'];
  lies.idToken = claims => sign(claims, otherKeys, 'two');
  expect(await told.finish()).toContain('?id=');
  vi.advanceTimersByTime(300_000);
  expect(await told.finish()).toBe(page('id_token_failed'));
  vi.advanceTimersByTime(3_300_000);
  lies.idToken = claims => sign(claims);
  expect(await told.finish()).toContain('?id=');
  expect(asked.discovery).toBe(2);
});

// A provider, or whoever stands between it and us, hands out an ID token that is not for this sign-in.
describe.concurrent('an ID token signs nobody in', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const without = (name: keyof Honest) => (claims: Honest) => {
    const { [name]: _, ...rest } = claims;
    return sign(rest as JWTPayload);
  };
  const tampered = async (claims: Honest) => {
    const [header, , signature] = (await sign(claims)).split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'someone', email_verified: true }));
    return `${header}.${payload.toString('base64url')}.${signature}`;
  };
  const hmac = (key: string) => (claims: Honest) =>
    new SignJWT({ email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(key));
  const lies: [string, NonNullable<Lies['idToken']>][] = [
    ['of another issuer', claims => sign({ ...claims, iss: 'https://evil.example' })],
    ['for another client', claims => sign({ ...claims, aud: 'another-client' })],
    ['for several, made for another', claims => sign({ ...claims, aud: [clientId, 'b'], azp: 'b' })],
    ['of another flow', claims => sign({ ...claims, nonce: 'another' })],
    ['of no flow', without('nonce')],
    ['that has expired', claims => sign({ ...claims, iat: now() - 600, exp: now() - 300 })],
    ['that is not good yet', claims => sign({ ...claims, nbf: now() + 300 })],
    ['without an end', without('exp')],
    ['without a beginning', without('iat')],
    ['without a subject', without('sub')],
    ['whose subject is no text', claims => sign({ ...claims, sub: 7 as unknown as string })],
    // OpenID Connect Core §2: at most 255 ASCII characters.
    ['whose subject is empty', claims => sign({ ...claims, sub: '' })],
    ['whose subject is too long', claims => sign({ ...claims, sub: 'x'.repeat(256) })],
    ['whose subject holds what a database refuses', claims => sign({ ...claims, sub: 'x\0' })],
    ['without an audience', without('aud')],
    ['by another key', claims => sign(claims, otherKeys)],
    ['by an unknown key', claims => sign(claims, otherKeys, 'two')],
    ['changed after it was signed', tampered],
    ['that nobody signed', claims => new UnsecuredJWT({ email_verified: true, ...claims }).encode()],
    ['signed with the client secret', hmac(clientSecret)],
    [
      'signed with the public key as if it were a secret',
      async claims => hmac(JSON.stringify(await exportJWK(keys.publicKey)))(claims),
    ],
    ['that is not there', () => null],
  ];
  test.each(lies)('%s', async (_, idToken) => {
    const told = await against({ idToken });
    expect(await timed(() => told.finish())).toBe(page('id_token_failed'));
    await expectNobody(told);
  });
});

test('an ID token with somebody else’s subject opens no account of that person', async () => {
  // An attacker who stands between the provider and us puts in the token that somebody else got, or changes who the
  // attacker's own is about.
  let captured = '';
  const lies: Lies = {
    idToken: async claims => {
      captured = await sign({ ...claims, sub: 'the-victim' });
      return captured;
    },
  };
  const told = await against(lies);
  expect(await told.finish()).toContain('?id=');
  const { users, oauth_identities } = told.app.gatehouse.repositories;
  const { userId } = (await oauth_identities.findBySubject('google', 'the-victim'))!;
  const before = await users.find(userId);

  const ofTheVictim = () => captured;
  const renamed = async (claims: Honest) => {
    const [header, , signature] = (await sign({ ...claims, sub: 'the-attacker' })).split('.');
    const payload = Buffer.from(JSON.stringify({ email_verified: true, ...claims, sub: 'the-victim' }));
    return `${header}.${payload.toString('base64url')}.${signature}`;
  };
  for (const lie of [ofTheVictim, renamed]) {
    lies.idToken = lie;
    expect(await told.finish()).toBe(page('id_token_failed'));
  }
  expect(await users.find(userId)).toEqual(before);
  expect(await users.count({})).toBe(1);
});

test('an ID token that is no JWT is refused as any other that fails its checks', async () => {
  const told = await against({ idToken: () => 'x.y.z' });
  expect(await told.finish()).toBe(page('id_token_failed'));
  await expectNobody(told);
});

// A provider that is down, or that wants to take us down with it.
describe.concurrent('a provider without a good answer', () => {
  const bad: [string, Answer][] = [
    ['500', fail],
    ['garbage', garbage],
    ['another type', noise],
    ['a document without end', flood],
    ['silence', hang],
    ['half an answer', stall],
    ['a closed connection', hangUp],
    ['a redirect', elsewhere],
  ];

  test.each(bad)('at its token endpoint, %s, is token_exchange_failed', async (_, token) => {
    const told = await against({ token });
    expect(await timed(() => told.finish())).toBe(page('token_exchange_failed'));
    await expectNobody(told);
  });

  test('that refuses the code is token_exchange_failed', async () => {
    const told = await against({ token: json({ error: 'invalid_grant', error_description: 'a-code' }, 400) });
    expect(await told.finish()).toBe(page('token_exchange_failed'));
    await expectNobody(told);
  });

  test.each(bad)('at its keys, %s, is unavailable', async (_, answer) => {
    const told = await against({ keys: answer });
    expect(await timed(() => told.finish())).toBe(page('unavailable'));
    await expectNobody(told);
  });

  test.each([...bad, ['an empty document', json({})] as [string, Answer]])(
    'at its description, %s, is 503 at the start',
    async (_, discovery) => {
      const told = await against({ discovery });
      const reply = await timed(told.start);
      expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0);
    },
  );

  test('whose description names another issuer is 503 at the start', async () => {
    const told = await against({ discovery: json(metadata('https://evil.example')) });
    expect((await told.start()).status).toBe(503);
  });

  test('is asked again once it is back', async () => {
    const lies: Lies = { discovery: fail };
    const told = await against(lies);
    expect((await told.start()).status).toBe(503);
    delete lies.discovery;
    expect(await told.finish()).toContain('?id=');
  });
});
