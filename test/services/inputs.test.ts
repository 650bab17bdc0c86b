import { describe, expect, test } from 'vitest';
import { LoginInput } from '../../src/contract/inputs/login.ts';
import { parse } from '../../src/contract/inputs/parse.ts';
import { updateProfileInput } from '../../src/contract/inputs/profile.ts';
import { ResendVerificationInput, registerInput } from '../../src/contract/inputs/registration.ts';
import { confirmLoginMfaInput } from '../../src/contract/inputs/second-step.ts';
import { valuesByName } from '../../src/http/body.ts';
import { formsOfPassword } from '../../src/password-text.ts';

const email = 'ada@example.org';
/** Without own fields and roles. */
const none = { userFields: {}, roles: [], passwordMinLength: 8 };
const refusal = { code: 'invalid_input' };

describe('an address', () => {
  const read = (text: string) => parse(ResendVerificationInput, { email: text }).email;

  test.each([
    ['Ada@Example.ORG', 'ada@example.org'],
    [' \t\r\nada@example.org\f ', 'ada@example.org'],
    ['ada+tag@example.org', 'ada+tag@example.org'],
    ["o'hara_{x}@sub.example.co.uk", "o'hara_{x}@sub.example.co.uk"],
    ['ada@localhost', 'ada@localhost'],
    ['$ne@example.org', '$ne@example.org'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@not-oauth.invalid', 'ada@not-oauth.invalid'],
  ])('%j is %s', (given, stored) => {
    expect(read(given)).toBe(stored);
  });

  test.each([
    ['without a local part', '@example.org'],
    ['without a domain', 'ada@'],
    ['with two @', 'ada@home@example.org'],
    ['with a space inside', 'ada king@example.org'],
    ['in quotes', '"ada"@example.org'],
    ['with a name', 'Ada <ada@example.org>'],
    ['with a comma', 'ada@example.org,eve@example.org'],
    ['with a line break inside', 'ada@example.org\nbcc: eve@example.org'],
    ['with a NUL', 'ada\0@example.org'],
    ['with an empty label', 'ada@example..org'],
    ['with a label that begins with a hyphen', 'ada@-example.org'],
    ['with a label of 64 characters', `ada@${'a'.repeat(64)}.org`],
    ['with a no-break space around', '\u00a0ada@example.org'],
    ['with a zero-width space', 'ada\u200b@example.org'],
  ])('%s is refused', (_, given) => {
    expect(() => read(given)).toThrow(expect.objectContaining(refusal));
  });

  test.each([
    ['the Kelvin sign, which lower-cases to k', '\u212aim@example.org'],
    ['the dotted capital I, which lower-cases to i and a dot', '\u0130da@example.org'],
    ['the long s, which upper-cases to S', 'ro\u017fa@example.org'],
    ['a Cyrillic a', '\u0430da@example.org'],
    ['a full-width letter', '\uff41da@example.org'],
    ['a full-width @', 'ada\uff20example.org'],
    ['an accent in the domain', 'ada@ex\u00e1mple.org'],
  ])('with %s is refused', (_, given) => {
    // An attacker registers an address that looks like somebody else's, or that becomes it by case folding.
    expect(() => read(given)).toThrow(expect.objectContaining(refusal));
  });

  test('is read in one go, whatever stands in it', () => {
    // An attacker sends a text of spaces that holds the process for as long as the square of its length.
    const spaces = ' '.repeat(200_000);
    for (const given of [`ada${spaces}@example.org`, `${spaces}ada@example.org${spaces}x`]) {
      expect(() => read(given)).toThrow(expect.objectContaining(refusal));
    }
    expect(read(`${spaces}ada@example.org${spaces}`)).toBe('ada@example.org');
  });

  test('has at most 254 octets', () => {
    const ofLength = (length: number) => `${'a'.repeat(length - '@example.org'.length)}@example.org`;
    expect(read(` ${ofLength(254)} `)).toHaveLength(254);
    expect(() => read(ofLength(255))).toThrow(expect.objectContaining(refusal));
  });

  test.each(['google-1@oauth.invalid', 'x@OAUTH.Invalid', ' x@oauth.invalid '])(
    'of the domain reserved for external accounts is refused: %s',
    given => {
      // An attacker registers the address that somebody's external account will get.
      expect(() => read(given)).toThrow(expect.objectContaining(refusal));
      expect(() => parse(LoginInput, { email: given, password: 'x' })).toThrow(
        expect.objectContaining(refusal),
      );
    },
  );
});

describe('a password', () => {
  const read = (password: string) => parse(registerInput(none), { email, password }).password;
  const given = (password: string) => parse(LoginInput, { email, password }).password;

  // Shows asvs/6.2.1, asvs/6.2.5, asvs/6.2.9, 63b/3.1.1.2#code-points, 63b/3.1.1.2#composition.
  test('has 8 to 128 code points, whatever they are', () => {
    for (const character of ['a', 'é', '漢', '😀']) {
      expect(() => read(character.repeat(7))).toThrow(expect.objectContaining(refusal));
      expect(read(character.repeat(8))).toBe(character.repeat(8));
      expect(read(character.repeat(128))).toBe(character.repeat(128));
      expect(() => read(character.repeat(129))).toThrow(expect.objectContaining(refusal));
    }
  });

  test('is counted after normalisation', () => {
    // The letter with its accent apart is one; a ligature stays what it is.
    expect(() => read('\ufb03\ufb03\ufb03')).toThrow(expect.objectContaining(refusal));
    expect(() => read('e\u0301'.repeat(7))).toThrow(expect.objectContaining(refusal));
    expect(read('e\u0301'.repeat(128))).toBe('\u00e9'.repeat(128));
  });

  test('is the same however a keyboard makes its letters; what is to be checked stays as it was typed, too', () => {
    const fullWidth = '\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44';
    for (const [typed, nfc, ...more] of [
      ['pa\u0301ssword', 'p\u00e1ssword'],
      // Compatible characters are others, and were the same in former versions.
      [fullWidth, fullWidth, 'password'],
      ['passw\u2460rd', 'passw\u2460rd', 'passw1rd'],
      ['pa\u0301ssw\u2460rd', 'p\u00e1ssw\u2460rd', 'p\u00e1ssw1rd'],
    ] as const) {
      expect(read(typed)).toBe(nfc);
      expect(formsOfPassword(given(typed))).toEqual([...new Set([typed, nfc, ...more])]);
    }
    expect(formsOfPassword(given('password'))).toEqual(['password']);
  });

  // Shows asvs/6.2.8, 63b/3.1.1.2#whole.
  test('is never trimmed and keeps its case', () => {
    expect(read('  Pass word  ')).toBe('  Pass word  ');
    expect(given(' X ')).toBe(' X ');
  });

  test.each(['password\ud800', '\udc00password', 'pass\udfffword'])(
    'with half a surrogate pair is refused, because all such halves would become one character',
    password => {
      // An attacker guesses one replacement character for every broken one.
      expect(() => read(password)).toThrow(expect.objectContaining(refusal));
      expect(() => given(password)).toThrow(expect.objectContaining(refusal));
    },
  );

  test('is read in one go, whatever stands in it', () => {
    // An attacker sends accents in the wrong order: sorting them takes as long as the square of their number.
    const long = `a${'\u0300\u0316'.repeat(100_000)}`;
    expect(() => read(long)).toThrow(expect.objectContaining(refusal));
    expect(formsOfPassword(given(long))).toEqual([long]);
    // The longest form that a password can have: each letter and its three accents become one.
    expect(read('\u03b1\u0313\u0300\u0345'.repeat(128))).toBe('\u1f82'.repeat(128));
  });

  test('that is given at login is right or wrong, whatever its length', () => {
    expect(given('')).toBe('');
    expect(given('x'.repeat(1000))).toHaveLength(1000);
  });
});

describe('a name', () => {
  const read = (full_name: unknown) => parse(updateProfileInput(none), { full_name }).full_name;

  test.each([
    ['  Ada  ', 'Ada'],
    ['Ada King, Countess of Lovelace', 'Ada King, Countess of Lovelace'],
    ["<script>alert('x')</script>", "<script>alert('x')</script>"],
    ['漢字 😀 עברית العربية', '漢字 😀 עברית العربية'],
    ['', null],
    [' \u00a0 ', null],
    [null, null],
    [undefined, undefined],
  ])('%j is %j', (given, stored) => {
    expect(read(given)).toBe(stored);
  });

  test('has at most 200 code points, after trimming', () => {
    expect(read(` ${'😀'.repeat(200)} `)).toBe('😀'.repeat(200));
    expect(() => read('😀'.repeat(201))).toThrow(expect.objectContaining(refusal));
  });

  test.each([
    ['NUL', '\0'],
    ['a line break', '\n'],
    ['an escape', '\u001b'],
    ['a C1 control', '\u0085'],
    ['a line separator', '\u2028'],
    ['a paragraph separator', '\u2029'],
    ['a right-to-left override', '\u202e'],
    ['a left-to-right embedding', '\u202a'],
    ['an isolate', '\u2066'],
    ['the end of an isolate', '\u2069'],
    ['half a surrogate pair', '\ud83d'],
  ])('with %s is refused', (_, character) => {
    // An attacker makes a list of users read backwards, or breaks out of a line of a log.
    expect(() => read(`Ada${character}King`)).toThrow(expect.objectContaining(refusal));
  });
});

test.each([{}, { id: 'x' }, { credential: {} }, { code: '123456', id: 'x', credential: {} }])(
  'a second step with the proof %j, neither a code nor an answer of a device, is no guess',
  proof => {
    const input = confirmLoginMfaInput([{ takes: 'credential' }]);
    expect(() => parse(input, { mfa_pending_token: 'token', ...proof })).toThrow(
      expect.objectContaining(refusal),
    );
  },
);

test('fields of a form and of a query are read in time that grows with their number', () => {
  // An attacker sends as many names as fit: looking each up again takes as long as the square of their number.
  const names = Array.from({ length: 300_000 }, (_, n) => `n${n}`);
  const read = valuesByName(new URLSearchParams(`${names.join('&')}&n7=2`));
  expect(read.size).toBe(names.length);
  expect([read.get('n7'), read.get('n8')]).toEqual([['', '2'], ['']]);
});
