import { createHmac } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Claims, Purpose } from '../../src/crypto/claims.ts';
import { type TokenSettings, Tokens } from '../../src/crypto/tokens.ts';

const secret = 'a master secret of more than 32 characters';
const now = new Date('2026-01-02T03:04:05.678Z');
const settings = (extra: Partial<TokenSettings> = {}): TokenSettings => ({
  secret,
  algorithm: 'HS256',
  clock: { now: () => now },
  lifetimes: {
    ...{
      session: 60,
      browser_session: 60,
      forwarded_session: 60,
      forward_ticket: 60,
      password_reset: 60,
      invitation: 60,
    },
    ...{ email_change: 60, phone_setup: 60, login_mfa: 60 },
  },
  ...extra,
});
const purposes: Purpose[] = [
  ...([
    'session',
    'browser_session',
    'forwarded_session',
    'forward_ticket',
    'password_reset',
    'invitation',
  ] as const),
  ...(['email_change', 'phone_setup', 'login_mfa'] as const),
];

const sign = (tokens: Tokens, purpose: Purpose = 'session') =>
  tokens.sign(purpose, {
    sub: 'user-1',
    issuedAt: now,
    ...(purpose === 'email_change' && { new_email: 'new@example.org' }),
  });

/** A token signed with the right key of a purpose, whatever it claims. */
function forge(
  claims: Partial<Record<keyof Claims, unknown>>,
  purpose: Purpose = 'session',
  header = {},
): Promise<string> {
  const key = createHmac('sha256', secret).update(`gatehouse:${purpose}`).digest();
  const iat = now.getTime() / 1000;
  const all = { sub: 'user-1', iat, exp: iat + 60, jti: 'jti', purpose, ...claims };
  return new SignJWT(all as never).setProtectedHeader({ alg: 'HS256', ...header }).sign(key);
}

describe('a token', () => {
  // Shows asvs/7.2.2, 63b/5.1#length.
  test('carries the claims of the specification, `iat` exact to the millisecond', async () => {
    const tokens = new Tokens(settings());
    const verdict = tokens.verify('session', await sign(tokens));
    expect(verdict).toEqual({
      claims: {
        sub: 'user-1',
        iat: 1767323045.678,
        exp: 1767323105.678,
        jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
        purpose: 'session',
      },
    });
  });

  test.each(['HS256', 'HS384', 'HS512'] as const)(
    'is signed and accepted with %s, and with it alone',
    async algorithm => {
      const tokens = new Tokens(settings({ algorithm }));
      const token = await sign(tokens);
      expect(tokens.verify('session', token)).toHaveProperty('claims');
      for (const other of ['HS256', 'HS384', 'HS512'] as const) {
        if (other !== algorithm) {
          expect(new Tokens(settings({ algorithm: other })).verify('session', token)).toEqual({
            refused: 'invalid',
          });
        }
      }
    },
  );

  // Shows asvs/9.2.2.
  test('is accepted for its own purpose and refused for every other', async () => {
    const tokens = new Tokens(settings());
    for (const purpose of purposes) {
      const token = await sign(tokens, purpose);
      for (const asked of purposes) {
        expect('claims' in tokens.verify(asked, token)).toBe(asked === purpose);
      }
    }
  });

  test('of one purpose that claims another is refused, even signed with the key of the one asked for', async () => {
    const tokens = new Tokens(settings());
    expect(tokens.verify('session', await forge({ purpose: 'password_reset' }))).toEqual({
      refused: 'invalid',
    });
  });

  // Shows asvs/9.2.1, 63b/5.1#timeout.
  test('expires by our clock: at its `exp` it is dead, a millisecond before it lives', async () => {
    const token = await sign(new Tokens(settings()));
    const at = (ms: number) => new Tokens(settings({ clock: { now: () => new Date(now.getTime() + ms) } }));
    expect(at(59_999).verify('session', token)).toHaveProperty('claims');
    expect(at(60_000).verify('session', token)).toEqual({ refused: 'expired' });
  });

  test('ends a lifetime after the present moment, whatever its `iat` is', async () => {
    // A cutoff of a clock that was a year ahead moves every later `iat` to that year.
    const year = 365 * 86_400_000;
    const tokens = new Tokens(settings());
    const token = tokens.sign('session', { sub: 'user-1', issuedAt: new Date(now.getTime() + year) });
    expect(tokens.verify('session', token)).toMatchObject({
      claims: { iat: (now.getTime() + year) / 1000, exp: now.getTime() / 1000 + 60 },
    });
  });

  test.each(purposes)(
    'of the purpose %s is refused when it ends later than a lifetime and five minutes from now',
    async purpose => {
      const signedAt = (ms: number) =>
        sign(new Tokens(settings({ clock: { now: () => new Date(now.getTime() + ms) } })), purpose);
      const tokens = new Tokens(settings());
      expect(tokens.verify(purpose, await signedAt(300_000))).toHaveProperty('claims');
      for (const ms of [300_001, 3_600_000, 365 * 86_400_000]) {
        expect(tokens.verify(purpose, await signedAt(ms))).toEqual({ refused: 'invalid' });
      }
    },
  );

  test('that was remembered is refused once the clock is right again', async () => {
    let ms = 3_600_000;
    const tokens = new Tokens(settings({ clock: { now: () => new Date(now.getTime() + ms) } }));
    const token = await sign(tokens);
    expect(tokens.verify('session', token)).toHaveProperty('claims');
    expect(tokens.verifiedCount).toBe(1);
    ms = 0;
    expect(tokens.verify('session', token)).toEqual({ refused: 'invalid' });
  });

  // Shows asvs/9.2.3.
  test('names an audience when there is one, and is refused by everybody else', async () => {
    const ours = new Tokens(settings({ audience: 'shop' }));
    const token = await sign(ours);
    expect(ours.verify('session', token)).toMatchObject({ claims: { aud: 'shop' } });
    for (const audience of [undefined, 'blog']) {
      expect(new Tokens(settings({ audience })).verify('session', token)).toEqual({ refused: 'invalid' });
    }
    const without = await sign(new Tokens(settings()));
    expect(ours.verify('session', without)).toEqual({ refused: 'invalid' });
  });

  test('signed with the former secret is accepted while that is configured, and none is issued with it', async () => {
    const former = new Tokens(settings({ secret: 'the former secret, long enough as well' }));
    const rotated = new Tokens(settings({ previousSecret: 'the former secret, long enough as well' }));
    expect(rotated.verify('session', await sign(former))).toHaveProperty('claims');
    expect(former.verify('session', await sign(rotated))).toEqual({ refused: 'invalid' });
    expect(new Tokens(settings()).verify('session', await sign(former))).toEqual({ refused: 'invalid' });
  });
});

describe('an attacker', () => {
  const tokens = new Tokens(settings());

  // Shows asvs/9.1.2.
  test('who strips the signature (alg none) is refused', async () => {
    const unsecured = new UnsecuredJWT({ sub: 'user-1', purpose: 'session', jti: 'x' })
      .setExpirationTime('1h')
      .encode();
    expect(tokens.verify('session', unsecured)).toEqual({ refused: 'invalid' });
    const [, payload] = (await sign(tokens)).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url');
      expect(tokens.verify('session', `${header}.${payload}.`)).toEqual({ refused: 'invalid' });
    }
  });

  // Shows asvs/7.2.1, asvs/9.1.1.
  test('who flips any one bit is refused, in bits that decoding ignores too', async () => {
    const token = await sign(tokens);
    for (let i = 0; i < token.length; i++) {
      for (const bit of [1, 2, 4, 8, 16, 32]) {
        const flipped =
          token.slice(0, i) + String.fromCharCode(token.charCodeAt(i) ^ bit) + token.slice(i + 1);
        expect(tokens.verify('session', flipped)).toHaveProperty('refused');
      }
    }
  });

  test('who spells a token in another way is refused, and nothing of it is remembered', async () => {
    // An attacker keeps a stolen token alive under a spelling that no list of ended tokens has.
    const tokens = new Tokens(settings());
    const token = await sign(tokens);
    const replaced = (at: number, by: string) => token.slice(0, at) + by + token.slice(at + 1);
    const last = token.length - 1;
    const spellings = [
      // Letters beyond Latin-1 whose lower byte is that of the right letter.
      ...Array.from(token, (letter, at) => replaced(at, String.fromCharCode(letter.charCodeAt(0) + 0x100))),
      ...Array.from(token, (letter, at) => replaced(at, String.fromCharCode(letter.charCodeAt(0) + 0xff00))),
      // Full-width forms, which normalisation would turn into the right letters.
      ...Array.from(token, (letter, at) => replaced(at, String.fromCharCode(letter.charCodeAt(0) + 0xfee0))),
      // The other case, and characters that are percent-encoded.
      ...Array.from(token, (letter, at) =>
        replaced(at, letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()),
      ),
      ...Array.from(token, (letter, at) => replaced(at, `%${letter.charCodeAt(0).toString(16)}`)),
      // The last letter holds bits that decoding ignores.
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
        .split('')
        .map(letter => replaced(last, letter)),
      ...['=', '==', ' ', '\n', '\0', '.', '\ud800', '%00'].map(more => token + more),
      ...[' ', '\n', '\ufeff', '=', '.', 'Bearer '].map(more => more + token),
      token.replaceAll('.', '=.'),
      token.replaceAll('-', '+').replaceAll('_', '/').replace('.', '..'),
    ].filter(spelling => spelling !== token);
    for (const spelling of spellings) {
      expect(tokens.verify('session', spelling), spelling).toEqual({ refused: 'invalid' });
    }
    expect(tokens.verifiedCount).toBe(0);
    expect(tokens.verify('session', token)).toHaveProperty('claims');
    for (const spelling of spellings) expect(tokens.verify('session', spelling)).toHaveProperty('refused');
    expect(tokens.verifiedCount).toBe(1);
  });

  test.each(['header', 'payload'] as const)(
    'who has a %s signed that ends in bits that decoding ignores is refused',
    async part => {
      const key = createHmac('sha256', secret).update('gatehouse:session').digest();
      const parts = (await sign(tokens)).split('.').slice(0, 2);
      const place = part === 'header' ? 0 : 1;
      // A space more or less at the end of the JSON, until it ends in such bits.
      let text = Buffer.from(parts[place]!, 'base64url').toString();
      while (Buffer.byteLength(text) % 3 !== 1) text += ' ';
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const encoded = Buffer.from(text).toString('base64url');
      const other = alphabet[alphabet.indexOf(encoded.at(-1)!) + 1];
      const made = (spelled: string) => {
        const signed = parts.with(place, spelled).join('.');
        return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
      };
      expect(tokens.verify('session', made(encoded))).toHaveProperty('claims');
      expect(tokens.verify('session', made(encoded.slice(0, -1) + other))).toEqual({ refused: 'invalid' });
    },
  );

  test.each(['sub', 'iat', 'exp', 'jti', 'purpose'] as const)(
    'who gets a token signed without `%s` is refused',
    async claim => {
      expect(tokens.verify('session', await forge({ [claim]: undefined }))).toEqual({ refused: 'invalid' });
    },
  );

  test.each([
    ['sub', { $ne: null }],
    ['sub', ''],
    ['sub', 7],
    ['jti', ['a']],
    ['iat', 'now'],
    ['exp', 'never'],
    ['exp', null],
    ['purpose', ['session']],
  ] as const)('who gets a token signed with `%s` = %j is refused', async (claim, value) => {
    expect(tokens.verify('session', await forge({ [claim]: value }))).toEqual({ refused: 'invalid' });
  });

  test('who asks for a critical extension that we do not know is refused', async () => {
    const key = createHmac('sha256', secret).update('gatehouse:session').digest('hex');
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', crit: ['exp2'], exp2: 1 })).toString(
      'base64url',
    );
    const [, payload] = (await sign(tokens)).split('.');
    const signature = createHmac('sha256', Buffer.from(key, 'hex'))
      .update(`${header}.${payload}`)
      .digest('base64url');
    expect(tokens.verify('session', `${header}.${payload}.${signature}`)).toEqual({ refused: 'invalid' });
  });

  test.each(['sub', 'jti'])('with NUL in %s, which PostgreSQL does not take, is refused', async claim => {
    const token = await forge({ purpose: 'session', [claim]: 'x\0y' }, 'session');
    expect(tokens.verify('session', token)).toEqual({ refused: 'invalid' });
  });

  test.each(['', '.', '..', 'a.b', 'a.b.c.d', '\u0000', '{}.{}.{}', 'null.null.null'])(
    'who sends %j is refused',
    garbage => {
      expect(tokens.verify('session', garbage)).toEqual({ refused: 'invalid' });
    },
  );

  test('who knows the master secret of another purpose key only is refused', async () => {
    const token = await forge({ purpose: 'session' }, 'login_mfa');
    expect(tokens.verify('session', token)).toEqual({ refused: 'invalid' });
  });
});
