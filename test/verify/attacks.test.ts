import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Algorithm, createResourceServer } from '../../src/verify/index.ts';
import { createIssuer, issuer, resource, start } from './signed.ts';

// Tokens that must not count as access tokens in other processes (CONTRACT §19).

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const all = ['ES256', 'RS256', 'EdDSA'] as const;

test.each<Algorithm>(['ES256', 'RS256', 'EdDSA'])('a token of %s counts', async algorithm => {
  const { options, sign } = await createIssuer(algorithm);
  const api = createResourceServer({ ...options, algorithms: [algorithm] });
  const token = await sign();
  expect(await api.verify(token)).toEqual({
    ...{ userId: 'ada', clientId: 'session', scopes: ['orders:read'], resource, token },
    ...{ claims: expect.objectContaining({ iss: issuer }), expiresAt: new Date(start + 300_000) },
  });
});

test('whatever its header promises, a token counts by its signature alone', async () => {
  const { options, sign, jwk } = await createIssuer();
  const api = createResourceServer({ ...options, algorithms: all });
  const [header = '', payload = '', signature = ''] = (await sign()).split('.');
  const read = JSON.parse(Buffer.from(header, 'base64url').toString());
  const hmac = (text: string, key: string) => createHmac('sha256', key).update(text).digest('base64url');
  const confused = `${encode({ ...read, alg: 'HS256' })}.${payload}`;
  const stranger = await createIssuer();
  const forged = {
    'no token': '',
    'no form': 'x',
    'no signature': `${header}.${payload}.`,
    none: `${encode({ ...read, alg: 'none' })}.${payload}.`,
    'none, written otherwise': `${encode({ ...read, alg: 'nOnE' })}.${payload}.${signature}`,
    'a public key as a secret': `${confused}.${hmac(confused, JSON.stringify(jwk))}`,
    'an empty secret': `${confused}.${hmac(confused, '')}`,
    'another algorithm of the key': `${encode({ ...read, alg: 'RS256' })}.${payload}.${signature}`,
    'a key of its own': await stranger.sign({}, { jwk: stranger.jwk }),
    'an address of keys': await stranger.sign({}, { jku: 'https://evil.example/keys' }),
    'an address of certificates': await stranger.sign({}, { x5u: 'https://evil.example/x' }),
    'a certificate': await stranger.sign({}, { x5c: ['MII='] }),
    'an id that is a query': await stranger.sign({}, { kid: "' or 1=1 --" }),
    'an id that is a path': await stranger.sign({}, { kid: '../../dev/null' }),
    'no id': await sign({}, { kid: undefined }),
    'an ID token': await sign({}, { typ: 'JWT' }),
    'no type': await sign({}, { typ: undefined }),
    'an unknown critical parameter': `${encode({ ...read, crit: ['x'], x: 1 })}.${payload}.${signature}`,
    'a payload that is not encoded': `${encode({ ...read, crit: ['b64'], b64: false })}.${payload}.${signature}`,
    'zeros as a signature': `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
    'another payload': `${header}.${encode({ sub: 'eve' })}.${signature}`,
    'a part too many': `${header}.${payload}.${signature}.x`,
    'more than any token': `${header}.${'e'.repeat(20_000)}.${signature}`,
    'an API key': 'svc_key_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0fCNGO',
  };
  for (const [what, token] of Object.entries(forged))
    await expect(api.verify(token), what).rejects.toMatchObject({ code: 'unauthenticated' });
  // Members that would lead to other keys are no harm in a token that Gatehouse has signed.
  const ignored = {
    jwk: stranger.jwk,
    jku: 'https://evil.example',
    x5u: 'https://evil.example',
    x5c: ['MII='],
  };
  await expect(api.verify(await sign({}, ignored))).resolves.toMatchObject({ userId: 'ada' });
});

test.each([
  ['another issuer', { iss: 'https://other.example.org' }],
  ['the issuer with a slash', { iss: `${issuer}/` }],
  ['another API', { aud: 'https://bank.example.org' }],
  ['the API with a slash', { aud: `${resource}/` }],
  ['several APIs', { aud: [resource, 'https://bank.example.org'] }],
  ['no API', { aud: undefined }],
  ['no person', { sub: undefined }],
  ['no end', { exp: undefined }],
  ['no time of issue', { iat: undefined }],
  ['an end that is over', { exp: start / 1000 - 31 }],
  ['a time of issue that is to come', { iat: start / 1000 + 31 }],
  ['scopes that are no text', { scope: ['orders:read'] as never }],
])('a token with %s does not count', async (_, claims) => {
  const { options, sign } = await createIssuer();
  await expect(createResourceServer(options).verify(await sign(claims))).rejects.toMatchObject({
    code: 'unauthenticated',
  });
});

test('clocks may differ by 30 seconds', async () => {
  const { options, sign } = await createIssuer();
  const api = createResourceServer(options);
  for (const claims of [{ exp: start / 1000 - 29 }, { iat: start / 1000 + 30 }])
    await expect(api.verify(await sign(claims))).resolves.toMatchObject({ userId: 'ada' });
});

test('an algorithm that is not listed does not count', async () => {
  const { options, sign } = await createIssuer('EdDSA');
  await expect(createResourceServer(options).verify(await sign())).rejects.toMatchObject({
    code: 'unauthenticated',
  });
});

test.each([
  ['a misspelt option', { algorithm: ['ES256'] }],
  ['no address of an issuer', { issuer: 'id.example.org' }],
  ['an issuer without TLS', { issuer: 'http://id.example.org' }],
  ['an issuer with a slash', { issuer: `${issuer}/` }],
  ['no URI of an API', { resource: 'orders' }],
  ['no scopes', { scopes: undefined }],
  ['an algorithm with a shared secret', { algorithms: ['HS256'] }],
  ['no algorithm', { algorithms: [] }],
  ['an introspection without a secret', { introspection: { name: 'orders' } }],
  ['a negative time', { introspection: { name: 'orders', secret: 'x', cacheSeconds: -1 } }],
])('%s is a TypeError', async (_, wrong) => {
  const { options } = await createIssuer();
  expect(() => createResourceServer({ ...options, ...(wrong as object) })).toThrow(TypeError);
});

test('an issuer on the same machine needs no TLS', async () => {
  const { options } = await createIssuer();
  for (const host of ['localhost:8000', '127.0.0.1', '[::1]:80'])
    expect(createResourceServer({ ...options, issuer: `http://${host}` }).metadata?.resource).toBe(resource);
});
