import { describe, expect, test } from 'vitest';
import { longestCovered } from '../../src/config/warnings.ts';
import { createCommonPasswords } from '../../src/passwords/common.ts';
import { wordsOfPerson, wordsOfService } from '../../src/passwords/own-words.ts';
import { readCommonList } from '../support/common-passwords.ts';

describe('common passwords', () => {
  const isCommon = createCommonPasswords();

  test('are at least ten thousand of eight and more characters, each of which is refused', async () => {
    const list = await readCommonList();
    expect(list.length).toBeGreaterThanOrEqual(10_000);
    expect(new Set(list).size).toBe(list.length);
    for (const word of list) if ([...word].length < 8) throw new Error(`${word} is too short`);
    for (const word of list.filter((_, i) => i % 50 === 0)) expect(await isCommon(word)).toBe(true);
  });

  // Shows asvs/6.2.4.
  test('are three thousand up to the minimum length that gives a warning', async () => {
    const list = await readCommonList();
    const count = (length: number) => list.filter(word => [...word].length >= length).length;
    expect(count(longestCovered)).toBeGreaterThanOrEqual(3000);
    expect(count(longestCovered + 1)).toBeLessThan(3000);
  });

  test.each([
    ...['password', '12345678', 'iloveyou', 'qwertyuiop', 'trustno1', 'football', 'password1', 'passw0rd'],
    ...['1q2w3e4r', 'qwerty123', 'sunshine', 'princess', 'superman', 'welcome1', 'zxcvbnm1', 'qwertzui'],
  ])('have %s among them', async word => {
    expect(await isCommon(word)).toBe(true);
  });

  test.each([
    ['a date', '29101976', '10291976', '19761029'],
    ['a repetition', 'aaaaaaaa', '12121212', 'abcdabcd', 'qwertyqwerty', '😀😀😀😀😀😀😀😀'],
    ['a run', '23456789', '98765432', '7890123456', 'abcdefgh', 'hgfedcba'],
  ])('include %s', async (_, ...words) => {
    for (const word of words) expect([word, await isCommon(word)]).toEqual([word, true]);
  });

  test.each([
    ...['correct horse', 'battery staple', 'password password!', '39451672', '99999998', '32132000'],
    // Two neighbours of the list, and a part of an entry.
    ...['password\npassword1', 'assword12', 'passwor'],
  ])('do not include %j', async word => {
    expect(await isCommon(word)).toBe(false);
  });
});

describe('own words', () => {
  // Shows asvs/6.1.2.
  test('of a person are the address, its local part, the name and its words, in the forms that people type', () => {
    const words = wordsOfPerson({ email: 'ada.lovelace+news@example.org', fullName: 'Ada  Lovelace' });
    for (const word of [
      ...['ada.lovelace+news@example.org', 'ada.lovelace+news', 'lovelace', 'ada lovelace', 'adalovelace'],
      ...['ada.lovelace', 'ada-lovelace', 'ada_lovelace', 'adalovelacenews'],
    ])
      expect(words).toContain(word);
    expect(words).not.toContain('');
    // Without the name, too, whatever follows the plus sign.
    const ofAddress = wordsOfPerson({ email: 'ada.lovelace+news@example.org', fullName: null });
    for (const word of ['ada.lovelace', 'adalovelace', 'ada lovelace']) expect(ofAddress).toContain(word);
  });

  test('of a service are its name and its host, whole and in parts', () => {
    const words = wordsOfService({
      appName: 'Ａcme Accounts',
      baseUrl: 'https://accounts.acme-corp.example:8443',
    });
    for (const word of [
      'acme accounts',
      'acmeaccounts',
      'accounts',
      'accounts.acme-corp.example',
      'acme-corp',
    ])
      expect(words).toContain(word);
  });
});
