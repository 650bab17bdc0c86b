import crypto from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TokenSettings, Tokens } from '../../src/crypto/tokens.ts';
import { VerifiedTokens } from '../../src/crypto/verified-tokens.ts';
import { TestClock } from '../support/app.ts';
import { signer } from '../support/signer.ts';

const secret = 'a signing secret of the tests of tokens';
const clock = new TestClock();
const open = (more: Partial<TokenSettings> = {}) => signer(clock, { secret, ...more });
const session = (tokens: Tokens) => tokens.sign('session', { sub: 'ada', issuedAt: clock.now() });

describe('a session token that was verified before', () => {
  test('is refused once it has expired', async () => {
    // An attacker goes on using a stolen token, hoping that what was right once is not looked at again.
    const tokens = open();
    const token = await session(tokens);
    expect(tokens.verify('session', token)).toHaveProperty('claims');
    clock.advance(7_200_000);
    expect(tokens.verify('session', token)).toEqual({ refused: 'expired' });
  });

  test('is good for no other purpose', async () => {
    const tokens = open();
    const token = await session(tokens);
    tokens.verify('session', token);
    for (const purpose of [
      'password_reset',
      'invitation',
      'email_change',
      'phone_setup',
      'login_mfa',
    ] as const)
      expect(tokens.verify(purpose, token)).toEqual({ refused: 'invalid' });
  });

  test('vouches for no text but its own', async () => {
    // An attacker changes a token that the service has just accepted.
    const tokens = open();
    const token = await session(tokens);
    tokens.verify('session', token);
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      expect(tokens.verify('session', changed)).toEqual({ refused: 'invalid' });
    }
    for (const other of [`${token} `, `${token}=`, token.slice(0, -1), `${token}.`])
      expect(tokens.verify('session', other)).toEqual({ refused: 'invalid' });
  });

  // Shows asvs/10.3.1.
  test('is refused by an instance with another secret or audience', async () => {
    const tokens = open();
    const token = await session(tokens);
    tokens.verify('session', token);
    for (const other of [open({ secret: `${secret}, rotated` }), open({ audience: 'elsewhere' })])
      expect(other.verify('session', token)).toEqual({ refused: 'invalid' });
  });

  test('has claims that cannot be changed for the next request', async () => {
    const tokens = open({ audience: 'here' });
    const token = await session(tokens);
    const [first, second] = [tokens.verify('session', token), tokens.verify('session', token)];
    for (const verdict of [first, second]) {
      if ('refused' in verdict) throw new Error('it was refused');
      expect(() => Object.assign(verdict.claims, { sub: 'eve' })).toThrow(TypeError);
    }
    expect(second).toEqual(first);
  });
});

describe('the cache of verified tokens', () => {
  const claims = (sub: string) => ({ sub, iat: 1, exp: 2, jti: 'j', purpose: 'session' }) as const;

  test('is bounded however many come, and keeps those that are asked for', () => {
    const kept = new VerifiedTokens(100);
    for (let i = 0; i < 10_000; i++) {
      kept.add(`token ${i}`, claims(String(i)));
      expect(kept.get('token 0')?.sub).toBe('0');
    }
    expect(kept.count).toBeLessThanOrEqual(200);
    expect(kept.get('token 9999')?.sub).toBe('9999');
    expect(kept.get('token 1')).toBeUndefined();
  });

  test('is nothing of a token whose signature is wrong, or that has expired', async () => {
    // An attacker sends forged tokens without end, to push out those of others or to fill the memory.
    const tokens = open();
    const token = await session(tokens);
    const forged = `${token.slice(0, token.lastIndexOf('.'))}.${crypto.randomBytes(32).toString('base64url')}`;
    for (let i = 0; i < 3; i++) expect(tokens.verify('session', forged)).toEqual({ refused: 'invalid' });
    const expired = open({ clock: new TestClock('2020-01-01T00:00:00Z') }).sign('session', {
      sub: 'ada',
      issuedAt: clock.now(),
    });
    tokens.verify('session', expired);
    expect(tokens.verifiedCount).toBe(0);
    tokens.verify('session', token);
    expect(tokens.verifiedCount).toBe(1);
  });
});
