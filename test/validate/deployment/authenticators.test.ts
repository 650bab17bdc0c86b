import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { skippable } from '../../../src/validate/deployment/probe.ts';
import {
  checkOf,
  type Deployment,
  everybodyIn,
  loseSession,
  newPhone,
  only,
  probed,
  startDeployment,
} from './deployment.ts';

const strong = { enableTotp: true, enablePasskeys: true, dataEncryptionKey: 'A'.repeat(43) };
const everyone = { mfaRequired: 'everyone', enableSessionList: true, enableApiKeys: true } as const;
const others = skippable.filter(name => name !== 'totp' && name !== 'passkeys');

test.each([true, false])(
  'the probe acts as an authenticator app and as a passkey (GraphQL: %s)',
  async enableGraphql => {
    const deployment = await startDeployment({ ...strong, enableGraphql });
    const checks = await probed(deployment, { skip: new Set(others) });
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    for (const name of ['totp', 'passkeys']) expect(checkOf(checks, name)).toMatchObject({ outcome: 'ok' });
    expect(await deployment.gatehouse.repositories.users.list({})).toEqual([]);
    await deployment.close();
  },
);

test('the probe notices a removed passkey that still signs in', async () => {
  const deployment = await startDeployment(strong);
  // Removing an authenticator says that it is gone, and keeps it.
  deployment.fault = (req, res, next) =>
    req.method === 'DELETE' && req.path.includes('/authenticators/')
      ? void res.json({ message: 'The authenticator was removed.' })
      : next();
  const checks = await probed(deployment, { skip: new Set([...others, 'totp']) });
  expect(checkOf(checks, 'passkeys')).toMatchObject({
    outcome: 'fail',
    detail: expect.stringMatching(/^POST \/login\/passkey returned 200/),
  });
  deployment.fault = null;
  await deployment.close();
});

test('the probe reads the documents of access tokens, and notices a private key in them', async () => {
  const deployment = await startDeployment({
    ...{ enableTokens: true, dataEncryptionKey: 'A'.repeat(43), issuer: 'http://127.0.0.1' },
    ...{ baseUrl: 'http://127.0.0.1' },
  });
  const checks = await probed(deployment, { skip: only('tokens') });
  // The deployment stands at another port than it believes, and its host has no documents.
  expect(checkOf(checks, 'tokens')).toMatchObject({
    outcome: 'ok',
    detail: expect.stringMatching(/not at the root/),
  });
  const { origin } = new URL(deployment.url);
  deployment.fault = (req, res, next) => {
    if (req.path === '/.well-known/openid-configuration')
      return void res.json({ issuer: origin, jwks_uri: `${origin}/.well-known/jwks.json` });
    if (req.path === '/.well-known/jwks.json') return void res.json({ keys: [{ kty: 'EC', d: 'x' }] });
    next();
  };
  expect(checkOf(await probed(deployment, { skip: only('tokens') }), 'tokens')).toMatchObject({
    outcome: 'fail',
    detail: expect.stringMatching(/private key/),
  });
  await deployment.close();
});

test('the probe makes an API key, and notices one that is told again or survives its removal', async () => {
  const deployment = await startDeployment({ enableApiKeys: true });
  const found = async () => checkOf(await probed(deployment, { skip: only('api-keys') }), 'api-keys');
  expect(await found()).toMatchObject({
    outcome: 'ok',
    detail: 'a key opens the profile alone, and is refused once it is removed',
  });
  deployment.fault = (req, res, next) =>
    req.method === 'DELETE' && /\/api-keys\//.test(req.path) ? void res.json({ message: '' }) : next();
  expect(await found()).toMatchObject({
    outcome: 'fail',
    detail: expect.stringMatching(/after the removal/),
  });
  const keys: string[] = [];
  deployment.fault = (req, res, next) => {
    if (!req.path.endsWith('/api-keys')) return next();
    const send = res.end.bind(res);
    res.end = ((text: string, ...rest: []) => {
      if (req.method === 'POST') keys.push(JSON.parse(text).key);
      return send(text, ...rest);
    }) as typeof res.end;
    if (req.method === 'GET' && keys.length > 0 && !/_key_/.test(String(req.headers.authorization)))
      return void res.json({ items: keys });
    next();
  };
  expect(await found()).toMatchObject({ outcome: 'fail', detail: 'GET /api-keys shows a key again' });
  await deployment.close();
});

/** Runs the probe while the clock stands still, until the probe waits. */
async function probedWithClock(deployment: Deployment) {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const sleep = async (ms: number) => void vi.setSystemTime(Date.now() + ms);
  return probed(deployment, { sleep, skip: only('totp') });
}

test('the probe waits for the next code of an app where no other than the present one is accepted', async () => {
  const deployment = await startDeployment({ ...strong, totpToleranceSteps: 0 });
  const checks = await probedWithClock(deployment);
  expect(checkOf(checks, 'wait').detail).toMatch(
    /^\d+ seconds, until an authenticator app shows another code$/,
  );
  expect(checkOf(checks, 'totp').outcome).toBe('ok');
  expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
  expect(await everybodyIn(deployment)).toEqual([]);
  await deployment.close();
});

test('the user is gone although the probe was stopped while it waited for the next code', async () => {
  const deployment = await startDeployment({ ...strong, totpToleranceSteps: 0 });
  const stopping = new AbortController();
  const sleep = async (_ms: number, signal: AbortSignal) => {
    stopping.abort();
    signal.throwIfAborted();
  };
  const checks = await probed(deployment, { sleep, stop: stopping.signal, skip: only('totp') });
  expect(checkOf(checks, 'walk')).toMatchObject({ outcome: 'fail', detail: 'was interrupted' });
  expect(checkOf(checks, 'cleanup').outcome).toBe('ok');
  expect(await everybodyIn(deployment)).toEqual([]);
  await deployment.close();
});

test('the user is gone although its app stayed and its session was lost', async () => {
  const deployment = await startDeployment(strong);
  const stop = loseSession(deployment, '/authenticators/');
  const checks = await probed(deployment, { stop, skip: only('totp') });
  expect(checkOf(checks, 'totp').outcome).toBe('fail');
  expect(checkOf(checks, 'cleanup').outcome).toBe('ok');
  expect(await everybodyIn(deployment)).toEqual([]);
  await deployment.close();
});

test('the user is gone although the answer with its recovery codes was lost', async () => {
  const deployment = await startDeployment(strong);
  let confirmations = 0;
  deployment.fault = (req, res, next) => {
    // A wrong code, and then the right one.
    if (req.path.endsWith('/totp/confirm') && ++confirmations === 2) res.end = (() => res.destroy()) as never;
    if (confirmations > 0 && req.path.endsWith('/me')) return void res.status(401).json({});
    next();
  };
  const checks = await probedWithClock(deployment);
  expect(checkOf(checks, 'totp').outcome).toBe('fail');
  expect(await everybodyIn(deployment)).toEqual([]);
  await deployment.close();
});

describe('where every account must have a factor', () => {
  test.each<[string, object, string | null]>([
    ['all of them', { ...strong, enableSms2fa: true }, newPhone()],
    ['apps', { ...strong, enablePasskeys: false, enableSms2fa: false }, null],
    ['passkeys', { ...strong, enableTotp: false, enableSms2fa: false, maxSessionsPerUser: 1 }, null],
    ['text messages', { enableSms2fa: true }, newPhone()],
  ])('every phase passes with %s', async (_, settings, phone) => {
    const deployment = await startDeployment({ ...everyone, ...settings });
    const checks = await probed(deployment, { phone });
    expect(checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')).toEqual([]);
    for (const name of ['profile', 'email', 'api-keys', 'delete'])
      expect(checkOf(checks, name)).toMatchObject({ outcome: 'ok' });
    expect(checks.filter(({ detail }) => detail.includes('kept as the only factor'))).toHaveLength(1);
    expect(await everybodyIn(deployment)).toEqual([]);
    await deployment.close();
  });

  test.each<[string, object, string | null]>([
    ['an app', { ...strong, enablePasskeys: false, enableSms2fa: false }, null],
    ['a passkey', { ...strong, enableTotp: false, enableSms2fa: false }, null],
    ['a phone', { enableSms2fa: true }, newPhone()],
  ])('the user is gone although the probe was stopped before it had %s', async (_, settings, phone) => {
    const deployment = await startDeployment({ ...everyone, ...settings });
    const stopping = new AbortController();
    deployment.fault = (req, _res, next) => {
      if (req.path.endsWith('/logout')) stopping.abort();
      next();
    };
    const checks = await probed(deployment, { phone, stop: stopping.signal });
    expect(checkOf(checks, 'walk').detail).toBe('was interrupted');
    expect(checkOf(checks, 'cleanup').outcome).toBe('ok');
    expect(await everybodyIn(deployment)).toEqual([]);
    await deployment.close();
  });

  test.each<[string, object, object, RegExp]>([
    ['no phone is given', {}, {}, /can set up none: .*sms needs --phone/],
    ['its phase is skipped', {}, { phone: newPhone(), skip: new Set(['sms']) }, /sms is skipped/],
    [
      'no address is verified',
      { requireVerification: false },
      { phone: newPhone() },
      /address must be verified/,
    ],
  ])('no user is made where %s, unless that is accepted', async (_, settings, options, reason) => {
    const deployment = await startDeployment({ mfaRequired: 'everyone', ...settings });
    expect(checkOf(await probed(deployment, options), 'keep-user')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(reason),
    });
    expect(await everybodyIn(deployment)).toEqual([]);
    const accepted = await probed(deployment, { skip: only(), ...options, keepUser: true });
    const kept = accepted.filter(({ name, outcome }) => name === 'keep-user' && outcome === 'warn');
    expect(kept.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(reason),
      expect.stringMatching(/was not deleted$/),
    ]);
    await deployment.close();
  });
});
