import { exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { metadata } from '../support/stand-in.ts';
import {
  type Answer,
  against,
  baseUrl,
  clientId,
  clientSecret,
  expectNobody,
  fail,
  type Honest,
  hang,
  json,
  keys,
  type Lies,
  otherKeys,
  page,
  sign,
} from './support.ts';

/** How long anything with a provider may take (CONTRACT §4.5), in milliseconds. */
const limitMs = 10_000;

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

test('metadata and keys are fetched once for many sign-ins, and anew when they may have changed', async () => {
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
  lies.idToken = claims => sign(claims, otherKeys, 'three');
  for (let i = 0; i < 3; i++) expect(await told.finish()).toBe(page('id_token_failed'));
  expect(asked.keys).toBe(2);
  lies.idToken = claims => sign(claims, key, kid);
  expect(await told.finish()).toContain('?id=');
  expect(asked).toEqual({ discovery: 1, keys: 2 });

  // A withdrawn key is not announced, so it ends with the cached copy.
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

// A provider, or a man in the middle, hands out an ID token that is not for this sign-in.
describe.concurrent('an ID token is refused', () => {
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
    // Shows asvs/10.5.4.
    ['for another client', claims => sign({ ...claims, aud: 'another-client' })],
    ['for several, made for another', claims => sign({ ...claims, aud: [clientId, 'b'], azp: 'b' })],
    ['for several, made for nobody', claims => sign({ ...claims, aud: [clientId, 'b'] as never })],
    ['made for another', claims => sign({ ...claims, azp: 'another-client' })],
    ['made for nobody', claims => sign({ ...claims, azp: '' })],
    // Shows asvs/10.5.1.
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
    // Shows asvs/6.8.2.
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

// Shows asvs/10.5.2.
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
  const voucher = { name: 'google', issuer: told.issuer };
  const { userId } = (await oauth_identities.findBySubject(voucher, 'the-victim'))!;
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

  const noList: [string, Answer][] = [
    ['an empty document', json({})],
    ['a list that is none', json({ keys: 'x' })],
    ['null', json(null)],
  ];
  test.each([...bad, ...noList])('at its keys, %s, is unavailable', async (_, answer) => {
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

  // Shows asvs/10.5.3.
  test('whose description names another issuer is 503 at the start', async () => {
    const told = await against({ discovery: json(metadata('https://evil.example')) });
    expect((await told.start()).status).toBe(503);
  });
});
