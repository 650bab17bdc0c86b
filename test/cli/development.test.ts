import { describe, expect, test } from 'vitest';
import { developmentSettings } from '../../src/cli/development.ts';
import { load } from '../config/support.ts';
import { freePort } from '../support/server-process.ts';
import { serve, svc } from './support.ts';

const features = async (api: string) => {
  const query = '{ features { totp passkeys sessionList browserSessions mfaRequired } }';
  const response = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await response.json()).data.features;
};

describe('svc serve --dev', () => {
  test('has strong sign-in, also where the configuration is of a former version', async () => {
    const { api, stop } = await serve(['--dev']);
    expect(await features(api)).toEqual({
      ...{ totp: true, passkeys: true, sessionList: true, browserSessions: true, mfaRequired: 'off' },
    });
    expect((await stop()).code).toBe(0);
  });

  test('has an API to try tokens with at its own address', async () => {
    const port = await freePort();
    const { origin, stop } = await serve(['--dev', '--port', String(port)]);
    const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource/example`);
    expect(await metadata.json()).toMatchObject({ resource: `http://localhost:${port}/example` });
    await stop();
  });

  test('has nothing of it without --dev', async () => {
    const { api, stop } = await serve();
    expect(await features(api)).toEqual({
      ...{ totp: false, passkeys: false, sessionList: false, browserSessions: false, mfaRequired: 'off' },
    });
    await stop();
  });

  test('has no browser sessions where browsers would keep no cookie', () => {
    const { config } = load({ env: { SVC_BASE_URL: 'http://dev.example.org' } });
    expect(developmentSettings(config)).not.toHaveProperty('enableBrowserSessions');
  });

  test('names what is wrong with the configuration as ever', async () => {
    const { code, stderr } = await svc(['serve', '--dev'], { env: { SVC_MFA_REQUIRED: 'nobody' } });
    expect(code).toBe(1);
    expect(stderr).toContain('SVC_MFA_REQUIRED: must be off, superusers or everyone');
  });
});

describe('the data encryption key of --dev', () => {
  const keyOf = (env: Record<string, string>) => developmentSettings(load({ env }).config).dataEncryptionKey;

  test('is that of the configuration, where there is one', () => {
    expect(keyOf({ SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43) })).toBeUndefined();
  });

  test('stays the same as long as the signing secret does', () => {
    const [secret, other] = ['a'.repeat(40), 'b'.repeat(40)];
    const key = keyOf({ SVC_JWT_SECRET: secret });
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(keyOf({ SVC_JWT_SECRET: secret })).toBe(key);
    expect(keyOf({ SVC_JWT_SECRET: other })).not.toBe(key);
  });
});
