import { expect, test } from 'vitest';
import { globOf, regularExpressionOf } from '../../src/storage/search/letters.ts';
import { createSample, sampleOf } from '../../src/storage/search/sample.ts';
import { withSqlite } from '../support/admin.ts';

const emails = Array.from({ length: 100 }, (_, i) => [`user-${i}@example.org`, i < 20 ? 'Zoë' : null]);

test('grams that few of a sample have are chosen, and those that none has so that they share no letter', () => {
  const sample = createSample(emails);
  expect(sample.rarestGrams('user-7@ex', 2)).toEqual([['-7@'], ['7@e']]);
  expect(sample.rarestGrams('qwertz', 2)).toEqual([['qwe'], ['rtz']]);
  expect(sample.rarestGrams('ZOË', 3)).toEqual([['zoË', 'zoë']]);
});

test('a text is common if a tenth of a sample has it, frequent if a hundredth has, not if they only have its grams', () => {
  const sample = createSample(emails);
  const frequenciesOf = (...texts: string[]) => texts.map(text => sample.frequencyOf(text));
  expect(frequenciesOf('user-', 'EXAMPLE', 'zoË', 'u', 'zo', 'ser')).toEqual(Array(6).fill('common'));
  expect(frequenciesOf('user-7', '-77', '7@e')).toEqual(['common', 'rare', 'frequent']);
  expect(frequenciesOf('serser', 'nobody', 'se')).toEqual(Array(3).fill('rare'));
  expect(createSample([]).frequencyOf('user')).toBe('rare');
});

test('a sample that could not be read is read by the next search, one that was read is kept', async () => {
  let reads = 0;
  const sample = sampleOf(async () => {
    reads++;
    if (reads === 1) throw new Error('unavailable');
    return emails;
  });
  await expect(sample()).rejects.toThrow('unavailable');
  const [one, other] = await Promise.all([sample(), sample()]);
  expect(one).toBe(other);
  expect(reads).toBe(2);
});

test("a letter has the same forms in a pattern, in SQLite's, in SQLite's index and in Unicode's simple case folding", () =>
  withSqlite(':memory:', database => {
    database.exec(`create virtual table texts using fts5(text, tokenize='trigram')`);
    const add = database.prepare('insert into texts (rowid, text) values (?, ?)');
    // Without a few rounded letters of Cyrillic, which are younger than the index.
    const letters = Array.from({ length: 0x2000 }, (_, code) => String.fromCodePoint(code)).filter(
      letter => /\p{L}/u.test(letter) && !/[\u1c80-\u1c88]/.test(letter),
    );
    database.transaction(() => {
      for (const letter of letters) add.run(letter.codePointAt(0), `a${letter}b`);
    })();
    const indexed = database
      .prepare('select text from texts where texts match ? and text glob ? order by rowid')
      .pluck();
    const all = letters.map(letter => `a${letter}b`);
    const several = letters.filter(letter => regularExpressionOf(letter).length > letter.length);
    expect(several.length).toBeGreaterThan(1300);
    for (const letter of several) {
      const pattern = new RegExp(`^${regularExpressionOf(`a${letter}b`)}$`);
      const matched = all.filter(text => pattern.test(text));
      expect(indexed.all(`"a${letter}b"`, globOf(`a${letter}b`))).toEqual(matched);
      if (letter > '\x7f') {
        const folding = new RegExp(`^a${letter}b$`, 'iu');
        expect(matched).toEqual(all.filter(text => text[1]! > '\x7f' && folding.test(text)));
      }
    }
  }));
