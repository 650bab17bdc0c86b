import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { mkdtemp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { buildFilter } from '../../../src/features/breached-passwords/build-filter.ts';
import { falsePositivesOf, keyOf, sha1Of } from '../../../src/features/breached-passwords/filter.ts';
import { openFilterFile } from '../../../src/features/breached-passwords/filter-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'filter-'));
});
const inFolder = (name: string) => join(folder, name);

async function source(content: string | Buffer): Promise<string> {
  await writeFile(inFolder('source.txt'), content);
  return inFolder('source.txt');
}

/** Builds a filter file of these lines and answers what it is and where. */
async function build(content: string | Buffer, options: object = {}) {
  const output = inFolder('passwords.filter');
  const usual = { falsePositives: 0.001, leastCount: 1 };
  const built = await buildFilter({ source: await source(content), output, ...usual, ...options });
  return { output, built, filter: await openFilterFile(output) };
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
const has = ({ filter }: Awaited<ReturnType<typeof build>>, password: string) =>
  filter.has(keyOf(sha1Of(password)));

describe('a filter', () => {
  test('knows everything that was added, and takes the stated share of a million others for known', async () => {
    const known = 20_000;
    const lines = Array.from({ length: known }, (_, i) => `${sha1(`known ${i}`)}:${i + 1}`);
    const made = await build(`${lines.join('\r\n')}\r\n`, { falsePositives: 0.001 });
    for (let i = 0; i < known; i++) expect(has(made, `known ${i}`)).toBe(true);

    const probes = 1_000_000;
    let taken = 0;
    for (let i = 0; i < probes; i++) if (has(made, `unknown ${i}`)) taken++;
    // Of a thousand expected, the standard deviation is 32: six of them are never seen by chance.
    const expected = probes * falsePositivesOf(made.built);
    expect(expected).toBeGreaterThan(990);
    expect(expected).toBeLessThan(1010);
    expect(Math.abs(taken - expected)).toBeLessThan(190);
    expect(made.filter).toMatchObject({ entries: known, falsePositives: falsePositivesOf(made.built) });
  });

  test.each([0.5, 0.01, 1e-6])('is as large as the share %s of false positives needs', async share => {
    const { built } = await build(
      Array.from({ length: 1000 }, (_, i) => `${sha1(`known ${i}`)}:1`).join('\n'),
      {
        falsePositives: share,
      },
    );
    expect(falsePositivesOf(built)).toBeLessThan(share * 1.2);
    expect(built.bits / 1000).toBeLessThan((-Math.log(share) / Math.LN2 ** 2) * 1.01 + 1);
  });

  test('is the same for the same source', async () => {
    const first = await readFile((await build('correct horse\n')).output);
    expect(await readFile((await build('correct horse\n')).output)).toEqual(first);
  });
});

describe('a source', () => {
  test('may have digests with counts, digests alone, and passwords, in one file, with any line ends', async () => {
    const made = await build(
      `${sha1('one of them')}:12\r\n${sha1('another one').toLowerCase()}\n\nplain password\r\n  spaces  \nlast line`,
    );
    for (const password of ['one of them', 'another one', 'plain password', '  spaces  ', 'last line'])
      expect(has(made, password)).toBe(true);
    expect(has(made, 'spaces')).toBe(false);
    expect(made.built.entries).toBe(5);
  });

  test('has passwords in any form of their characters, as they are set', async () => {
    expect(has(await build('Ｐａｓｓｗｏｒｄ①\n'), 'Password1')).toBe(true);
  });

  test('may begin with a byte order mark, which is no part of its first line', async () => {
    expect(has(await build(`\ufeff${sha1('the first')}:3\n`), 'the first')).toBe(true);
    expect(has(await build('\ufeffthe first\r\n'), 'the first')).toBe(true);
  });

  test('may be restricted to passwords that are seen often', async () => {
    const made = await build(`${sha1('often')}:10\n${sha1('seldom')}:9\n`, { leastCount: 10 });
    expect([has(made, 'often'), has(made, 'seldom'), made.built.entries]).toEqual([true, false, 1]);
  });

  test('may be a stream, which leaves nothing beside the output', async () => {
    const output = inFolder('of-stream.filter');
    const stream = Readable.from([Buffer.from('first li'), Buffer.from('ne\nsecond line\n')]);
    await buildFilter({ source: stream, output, falsePositives: 0.001, leastCount: 1 });
    const filter = await openFilterFile(output);
    for (const line of ['first line', 'second line']) expect(filter.has(keyOf(sha1Of(line)))).toBe(true);
    expect(await readdir(folder)).toEqual(['of-stream.filter']);
  });

  test.skipIf(process.platform === 'win32')(
    'may be a pipe with a name, as a shell makes one of a command: it can be read only once',
    async () => {
      execFileSync('mkfifo', [inFolder('pipe')]);
      const written = writeFile(inFolder('pipe'), 'first line\nsecond line\n');
      const output = inFolder('of-pipe.filter');
      await buildFilter({ source: inFolder('pipe'), output, falsePositives: 0.001, leastCount: 1 });
      await written;
      const filter = await openFilterFile(output);
      for (const line of ['first line', 'second line']) expect(filter.has(keyOf(sha1Of(line)))).toBe(true);
      expect((await readdir(folder)).sort()).toEqual(['of-pipe.filter', 'pipe']);
    },
  );

  test('that changes between the two readings is refused, and leaves no file', async () => {
    const path = await source('first line\nsecond line\n');
    const output = inFolder('changed.filter');
    const progress = (share: number) => share < 0.75 && truncateSync(path, 11);
    const built = buildFilter({ source: path, output, falsePositives: 0.001, leastCount: 1, progress });
    await expect(built).rejects.toThrow('changed while it was read');
    expect(await readdir(folder)).toEqual(['source.txt']);
  });

  test('is reported on while it is read, up to the whole', async () => {
    const shares: number[] = [];
    await build('one line\n'.repeat(500_000), { progress: (share: number) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(4);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  test.each([
    ['nothing', '\n\n', 'has no passwords'],
    ['NTLM digests', `${'0123456789ABCDEF'.repeat(2)}:3\n`, 'has an NTLM digest in line 1'],
    [
      'the ends of digests, as range files have them,',
      `${'0'.repeat(40)}:3\n${'0123456789ABCDEF'.repeat(2)}012:3\n`,
      'has the end of a SHA-1 in line 2, as range files have it',
    ],
    ['a line without end', 'x'.repeat(2_000_000), 'has a line longer than'],
    ['UTF-16', Buffer.from('\ufeffcorrect horse\r\n', 'utf16le'), 'is UTF-16'],
  ])('of %s is refused, and leaves no file', async (_, content, message) => {
    await expect(build(content)).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(['source.txt']);
  });
});

describe('a filter file', () => {
  const refusal = (path: string) =>
    openFilterFile(path).then(
      () => 'none',
      (error: Error) => error.message,
    );

  test('that is missing is named', async () => {
    expect(await refusal(inFolder('none.filter'))).toBe(`${inFolder('none.filter')} can't be read (ENOENT)`);
    expect(await refusal(folder)).toBe(`${folder} can't be read (EISDIR)`);
  });

  test('of another kind is no filter file', async () => {
    expect(await refusal(await source('123456\npassword\n'.repeat(20)))).toMatch(/is no filter file/);
    expect(await refusal(await source(''))).toMatch(/is no filter file/);
  });

  test('of a later format says which one it has', async () => {
    const { output } = await build('correct horse\n');
    const content = await readFile(output);
    content.writeUInt16BE(2, 8);
    await writeFile(output, content);
    expect(await refusal(output)).toMatch(/has the format 2, and this version reads 1/);
  });

  test('that was cut off, or grew, is incomplete', async () => {
    const { output, built } = await build('correct horse\n'.repeat(10));
    await truncate(output, built.bytes - 1);
    expect(await refusal(output)).toMatch(/is incomplete/);
    await writeFile(output, Buffer.alloc(built.bytes + 1), { flag: 'r+' });
    expect(await refusal(output)).toMatch(/is no filter file|is incomplete/);
  });

  test('with one other bit is damaged, wherever it is', async () => {
    const { output, built } = await build('correct horse\nbattery staple\n'.repeat(50));
    const sound = await readFile(output);
    expect(sound.length).toBe(built.bytes);
    // The number of hashes, the number of entries, the checksum, the first and the last byte of the bits.
    for (const at of [11, 31, 40, 64, sound.length - 1]) {
      const damaged = Buffer.from(sound);
      damaged[at]! ^= 1;
      await writeFile(output, damaged);
      expect(await refusal(output)).toMatch(/is damaged|is incomplete/);
    }
  });
});
