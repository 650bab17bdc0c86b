import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyOf, sha1Of } from '../../../src/features/breached-passwords/filter.ts';
import { openFilterFile } from '../../../src/features/breached-passwords/filter-file.ts';
import { emptyFolder, svc } from '../../cli/support.ts';
import { built } from '../../support/built.ts';

const digest = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
const lines = Array.from({ length: 1000 }, (_, i) => `${digest(`known ${i}`)}:${i + 1}\n`).join('');

const withoutReads = (stderr: string) => stderr.replace(/^read .*\n/gm, '');

describe('svc passwords build-filter', () => {
  test('makes a filter file, and says how large it is, what it refuses by mistake, and how it is used', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'source.txt'), lines);
    const args = ['passwords', 'build-filter', 'source.txt', '--output', 'known.filter'];
    const { code, stdout, stderr } = await svc(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `known.filter has 1,000 passwords in 1,862 bytes; 1 of 1,003 others is refused by mistake.\n` +
        `Set password_breach_check = "known.filter" to use it.\n`,
    );
    const filter = await openFilterFile(join(cwd, 'known.filter'));
    expect(filter.has(keyOf(sha1Of('known 999')))).toBe(true);
    expect((await readdir(cwd)).sort()).toEqual(['known.filter', 'source.txt']);
  });

  test('takes the share of mistakes and the least count', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'source.txt'), lines);
    const { code, stdout } = await svc(
      [
        ...['passwords', 'build-filter', 'source.txt', '--output', 'known.filter'],
        ...['--false-positives', '0.00001', '--least-count', '901'],
      ],
      { cwd },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^known\.filter has 100 passwords in \d+ bytes; 1 of 101,641 others/);
  });

  test('reads standard input', async () => {
    const cwd = await emptyFolder();
    const args = [await built('svc'), 'passwords', 'build-filter', '-', '--output', 'known.filter'];
    const { stdout } = spawnSync(process.execPath, args, { cwd, input: 'correct horse\nbattery staple\n' });
    expect(String(stdout)).toMatch(/^known\.filter has 2 passwords/);
    const filter = await openFilterFile(join(cwd, 'known.filter'));
    expect(filter.has(keyOf(sha1Of('battery staple')))).toBe(true);
    expect(await readdir(cwd)).toEqual(['known.filter']);
  });

  test.each([
    [
      'a source that is missing',
      ['none.txt', '--output', 'x.filter'],
      /none\.txt can't be read or written \(ENOENT\)\.$/,
    ],
    ['a source without passwords', ['empty.txt', '--output', 'x.filter'], /^empty\.txt has no passwords\.$/],
    [
      'a folder that is missing',
      ['source.txt', '--output', 'none/x.filter'],
      /none\/x\.filter\.part can't .* \(ENOENT\)\.$/,
    ],
    ['no output', ['source.txt'], /required option '--output <file>' not specified/],
    [
      'a share that is none',
      ['source.txt', '--output', 'x', '--false-positives', '2'],
      /must be a number from/,
    ],
    ['a count that is none', ['source.txt', '--output', 'x', '--least-count', '0'], /must be a whole number/],
  ])('says in one line what is wrong with %s, and leaves nothing', async (_, args, complaint) => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'source.txt'), lines);
    await writeFile(join(cwd, 'empty.txt'), '\n');
    const { code, stdout, stderr } = await svc(['passwords', 'build-filter', ...args], { cwd });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')[0]).toMatch(complaint);
    expect((await readdir(cwd)).sort()).toEqual(['empty.txt', 'source.txt']);
  });
});

describe('svc validate', () => {
  const check = async (env: Record<string, string>, cwd?: string) => {
    const { stdout } = await svc(['validate', '--json'], {
      ...(cwd && { cwd }),
      env: { SVC_DATABASE_URL: 'sqlite+aiosqlite:///:memory:', ...env },
    });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string; detail: string }[] };
    return checks.find(({ name }) => name === 'passwords')!;
  };

  test('says what new passwords must satisfy', async () => {
    expect(await check({})).toMatchObject({
      outcome: 'ok',
      detail: '8 to 128 characters; not checked for breaches',
    });
    expect(await check({ SVC_PASSWORD_BLOCKLIST: 'true', SVC_PASSWORD_MIN_LENGTH: '12' })).toMatchObject({
      detail: '12 to 128 characters, no common ones, no own words; not checked for breaches',
    });
  });

  test('reads the filter file, and asks the range service', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'source.txt'), lines);
    await svc(['passwords', 'build-filter', 'source.txt', '--output', 'known.filter'], { cwd });
    expect(await check({ SVC_PASSWORD_BREACH_CHECK: 'known.filter' }, cwd)).toMatchObject({
      outcome: 'ok',
      detail: expect.stringContaining('known.filter knows 1,000 of breaches, 1 of 1,003 others'),
    });
    expect(await check({ SVC_PASSWORD_BREACH_CHECK: 'none.filter' }, cwd)).toMatchObject({
      outcome: 'fail',
      detail: "password_breach_check: none.filter can't be read (ENOENT)",
    });
    // Nothing listens there.
    const online = {
      SVC_PASSWORD_BREACH_CHECK: 'online',
      SVC_PASSWORD_BREACH_URL: 'http://127.0.0.1:9/range',
    };
    expect(await check(online)).toMatchObject({ outcome: 'warn' });
  });

  test('warns that a blocked password could not be reset', async () => {
    const { stdout } = await svc(['validate', '--json'], {
      env: {
        SVC_DATABASE_URL: 'sqlite+aiosqlite:///:memory:',
        SVC_MAX_CONSECUTIVE_FAILURES: '100',
        SVC_ENABLE_PASSWORD_RESET: 'false',
      },
    });
    expect(stdout).toContain('max_consecutive_failures is set and enable_password_reset is off');
  });
});

test('svc serve does not start without its filter file, and says which one in one line', async () => {
  const { code, stderr } = await svc(['migrate'], {
    env: {
      SVC_DATABASE_URL: 'sqlite+aiosqlite:///:memory:',
      SVC_PASSWORD_BREACH_CHECK: './none.filter',
    },
  });
  expect(code).toBe(1);
  expect(withoutReads(stderr)).toBe(
    "The configuration can't be used:\n  configuration: password_breach_check: ./none.filter can't be read (ENOENT); it must be off, online, or the path of a filter file\n",
  );
});
