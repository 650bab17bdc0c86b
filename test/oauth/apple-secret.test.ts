import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { createAppleSecret } from '../../src/oauth/apple.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const settings = {
  ...{ teamId: 'TEAM', keyId: 'KEY', clientId: 'app.service', issuer: 'https://appleid.apple.com' },
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const start = Date.UTC(2030, 0, 1);
const minute = 60_000;

function secretsAt(...minutes: number[]): string[] {
  const clock = { now: start };
  const secret = createAppleSecret(settings, () => clock.now);
  return minutes.map(each => {
    clock.now = start + each * minute;
    return secret();
  });
}

test('the client secret is what Apple asks for', async () => {
  const [secret] = secretsAt(0);
  const { payload, protectedHeader } = await jwtVerify(secret!, publicKey, {
    ...{ issuer: 'TEAM', subject: 'app.service', audience: 'https://appleid.apple.com' },
    currentDate: new Date(start),
  });
  expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'KEY', typ: 'JWT' });
  expect(payload.exp! - payload.iat!).toBe(3600);
});

test('it is made again before it expires, and not for each sign-in', async () => {
  const [first, same, next] = secretsAt(0, 54, 55);
  expect(same).toBe(first);
  expect(next).not.toBe(first);
  const currentDate = new Date(start + 90 * minute);
  await expect(jwtVerify(next!, publicKey, { currentDate })).resolves.toBeTruthy();
  await expect(jwtVerify(first!, publicKey, { currentDate })).rejects.toThrow(/exp/);
});

test('a clock that was set back makes another, which Apple takes as issued now', () => {
  const [late, early] = secretsAt(600, 0);
  expect(early).not.toBe(late);
});
