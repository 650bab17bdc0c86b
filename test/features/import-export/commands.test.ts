import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyFolder, jwtSecret, logRecords, svc } from '../../cli/support.ts';
import { hasPython, inTerminal } from '../../cli/terminal.ts';
import { startApp } from '../../support/app.ts';
import { built } from '../../support/built.ts';
import { firebase } from '../../support/foreign.ts';
import { upTo } from '../../support/people.ts';
import { copyInstalled } from '../../support/sqlite.ts';

const bcrypt = `$2b$12$${'a'.repeat(22)}${'B'.repeat(31)}`;

/** A folder with a database, and what runs `svc` on it. */
async function setUp(variables: Record<string, string> = {}) {
  const folder = await emptyFolder();
  await copyInstalled(join(folder, 'gatehouse.db'));
  const databaseUrl = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
  const env = { SVC_DATABASE_URL: databaseUrl, ...variables };
  const run = (...args: string[]) => svc(args, { cwd: folder, env });
  return {
    folder,
    databaseUrl,
    run,
    env: { PATH: process.env.PATH, SVC_JWT_SECRET: jwtSecret, ...env },
    write: (name: string, content: string | Buffer) => writeFile(join(folder, name), content),
    exported: async () => (await run('user', 'export')).stdout.trim().split('\n').filter(Boolean),
  };
}

const lineOf = (i: number) =>
  JSON.stringify({
    email: `user-${i}@example.org`,
    hashed_password: bcrypt,
    identities: [{ provider: 'google', subject: `${i}` }],
  });

/** Standard error without the files that were read and the log records. */
const complaintsIn = (stderr: string) => stderr.split('\n').filter(line => line && !/^read |^\{/.test(line));

describe('svc user import', () => {
  test('counts, names refused lines, and exits with 1 because of them', async () => {
    const { run, write, exported } = await setUp();
    await write(
      'users.jsonl',
      `${lineOf(1)}\r\n\n{"email":"nobody"}\n${lineOf(2)}\n${lineOf(1)}\nnot json\n${lineOf(3)}`,
    );
    const ended = await run('user', 'import', 'users.jsonl');
    expect(ended).toMatchObject({ code: 1, stdout: '6 read: 3 created, 1 existing, 2 refused\n' });
    expect(complaintsIn(ended.stderr)).toEqual([
      'line 3: email must be an email address of at most 254 ASCII characters',
      'line 6: is not JSON',
    ]);
    expect(await exported()).toHaveLength(3);
    const records = logRecords(ended.stderr).filter(({ act }) => act === 'importUsers');
    expect(records).toMatchObject([
      { by: 'cli', outcome: 'ok', changes: ['created:3', 'existing:1', 'refused:2'], subject: null },
    ]);
    expect(ended.stderr).not.toContain('@example.org');

    await write('users.jsonl', `${lineOf(1)}\n${lineOf(4)}\n`);
    const again = await run('user', 'import', 'users.jsonl');
    expect(again).toMatchObject({ code: 0, stdout: '2 read: 1 created, 1 existing, 0 refused\n' });
  });

  test('warns once of hashes that make every later wrong password slow, in a dry run too', async () => {
    const { run, write } = await setUp();
    const costly = (i: number) => lineOf(i).replace('$2b$12$', '$2b$15$');
    await write('users.jsonl', `${costly(1)}\n${costly(2)}\n`);
    for (const options of [['--dry-run'], ['--json']]) {
      const { code, stderr } = await run('user', 'import', 'users.jsonl', ...options);
      expect(code).toBe(0);
      expect(complaintsIn(stderr)).toEqual([
        expect.stringMatching(/^warning: checking an imported hash takes \d+\.\d s here/),
      ]);
    }
  });

  test('prints its result as JSON, refused lines or not', async () => {
    const { run, write } = await setUp();
    await write('users.jsonl', `${lineOf(1)}\n[]\n{}\n`);
    const mixed = await run('user', 'import', 'users.jsonl', '--json');
    expect([mixed.code, JSON.parse(mixed.stdout)]).toEqual([
      1,
      {
        ...{ read: 3, created: 1, existing: 0, refused: 2 },
        errors: [
          { line: 2, message: 'is not a JSON object' },
          { line: 3, message: 'email is required' },
        ],
      },
    ]);
    await write('users.jsonl', lineOf(1));
    const good = await run('user', 'import', 'users.jsonl', '--json');
    expect([good.code, JSON.parse(good.stdout)]).toEqual([
      0,
      { read: 1, created: 0, existing: 1, refused: 0, errors: [] },
    ]);
    await write('users.jsonl', '');
    expect(JSON.parse((await run('user', 'import', 'users.jsonl', '--json')).stdout)).toMatchObject({
      read: 0,
    });
  });

  test('stores nothing in a dry run', async () => {
    const { run, write, exported } = await setUp();
    await write('users.jsonl', `${upTo(600).map(lineOf).join('\n')}\n${lineOf(5)}\n{}`);
    const ended = await run('user', 'import', 'users.jsonl', '--dry-run');
    expect(ended).toMatchObject({
      code: 1,
      stdout: '602 read: 600 would be created, 1 existing, 1 refused\nNothing was stored.\n',
    });
    expect(await exported()).toEqual([]);
  });

  test('names in a dry run the lines whose address an earlier one has, in whatever case', async () => {
    const { run, write } = await setUp();
    await write('users.jsonl', '{"email":"ada@example.org"}\n{}\n{"email":"Ada@Example.ORG"}\n{}\n');
    const ended = await run('user', 'import', 'users.jsonl', '--dry-run');
    expect(ended.stdout).toMatch(
      /^4 read: 1 would be created \(1 without a password\), 1 existing, 2 refused\n/,
    );
    expect(complaintsIn(ended.stderr)).toEqual([
      'line 2: email is required',
      'line 3: has the address of an earlier line, which counts; this one is left out',
      'line 4: email is required',
    ]);
  });

  test.each([
    ['an array over many lines', '[\n  {\n    "email": "ada@example.org"\n  }\n]\n', 'has one JSON array'],
    ['an array in one line', `[{"email":"${'x'.repeat(200_000)}"}]`, 'has one JSON array'],
    ['a user over many lines', '{\n  "email": "ada@example.org"\n}\n', 'has one user over several lines'],
  ])('stops at %s with one line, and stores nothing', async (_, content, complaint) => {
    const { run, write, exported } = await setUp();
    await write('users.json', content);
    const ended = await run('user', 'import', 'users.json');
    expect([ended.code, complaintsIn(ended.stderr)]).toEqual([
      1,
      [
        `The file ${complaint}. Write JSON Lines: one user a line, without brackets around them and commas between them.`,
      ],
    ]);
    expect(await exported()).toEqual([]);
  });

  test('reads standard input, and what it has exported itself', async () => {
    const { run, write, exported } = await setUp();
    await write('users.jsonl', upTo(3).map(lineOf).join('\n'));
    await run('user', 'import', 'users.jsonl');
    const lines = (await run('user', 'export', '--with-hashes')).stdout;
    expect(lines.match(/\$2b\$12\$/g)).toHaveLength(3);
    expect((await exported()).join()).not.toContain('$2b$');

    const other = await setUp();
    const child = spawn(process.execPath, [await built('svc'), 'user', 'import', '-'], {
      cwd: other.folder,
      env: other.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.end(lines);
    expect(await text(child.stdout)).toBe('3 read: 3 created, 0 existing, 0 refused\n');
    const sorted = (text: string) => text.trim().split('\n').sort();
    expect(sorted((await other.run('user', 'export', '--with-hashes')).stdout)).toEqual(sorted(lines));
  });

  test('refuses lines that are too long or not UTF-8 without keeping them, prints no control characters, and goes on', async () => {
    const { run, write } = await setUp();
    const long = `{"email":"${'x'.repeat(200_000)}@example.org"}`;
    await write(
      'users.jsonl',
      Buffer.concat([
        Buffer.from(`\ufeff${lineOf(1)}\n${long}\n`),
        Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
        Buffer.from(`${lineOf(2)}\n`),
        // A field whose name clears the screen of a terminal.
        Buffer.from('{"email":"user-3@example.org","\\u001b[2J":1}'),
      ]),
    );
    const ended = await run('user', 'import', 'users.jsonl');
    expect(ended.stdout).toBe('5 read: 2 created, 0 existing, 3 refused\n');
    expect(complaintsIn(ended.stderr)).toEqual([
      'line 2: is longer than 64 KiB',
      'line 3: is not UTF-8',
      'line 5:  [2J is not a field of this operation',
    ]);
  });

  test.each<[string, string[], RegExp]>([
    ['a file that is not there', ['none.jsonl'], /^none\.jsonl can't be read: there is no such file\.$/],
    ['a folder', ['.'], /^\. can't be read: EISDIR\.$/],
    [
      'parameters that are not there',
      ['a.jsonl', '--firebase-parameters', 'b.json'],
      /^b\.json can't be read/,
    ],
    [
      'parameters that are no JSON',
      ['a.jsonl', '--firebase-parameters', 'a.jsonl'],
      /^a\.jsonl is not JSON\.$/,
    ],
    [
      'parameters without their parts',
      ['a.jsonl', '--firebase-parameters', 'c.json'],
      /^signer_key is required\.$/,
    ],
    [
      'parameters without a key for them',
      ['a.jsonl', '--firebase-parameters', 'd.json'],
      /^data_encryption_key is required/,
    ],
  ])('says in one line what is wrong with %s', async (_, args, complaint) => {
    const { run, write } = await setUp();
    await write('a.jsonl', '');
    await write('c.json', '{"salt_separator":"Bw==","rounds":8,"mem_cost":14}');
    await write('d.json', JSON.stringify(firebase.parameters));
    const ended = await run('user', 'import', ...args);
    expect(ended.code).toBe(1);
    expect(complaintsIn(ended.stderr)).toEqual([expect.stringMatching(complaint)]);
  });

  test('refuses parameters of Firebase that would cost gigabytes', async () => {
    const { run, write } = await setUp({
      SVC_DATA_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64url'),
    });
    await write('a.jsonl', '');
    await write('b.json', JSON.stringify({ ...firebase.parameters, mem_cost: 30 }));
    const ended = await run('user', 'import', 'a.jsonl', '--firebase-parameters', 'b.json');
    expect(complaintsIn(ended.stderr)).toEqual([
      expect.stringMatching(/^--firebase-parameters has .* ln 30/),
    ]);
  });

  test.skipIf(!hasPython)('shows in a terminal how far it is', async () => {
    const { folder, env, write } = await setUp();
    await write('users.jsonl', upTo(2000).map(lineOf).join('\n'));
    const { PATH: _, ...own } = env;
    const terminal = await inTerminal(['user', 'import', 'users.jsonl'], { cwd: folder, env: own });
    expect(await terminal.ended).toBe(0);
    expect(terminal.output()).toMatch(/\d+ read: \d+ created, 0 existing, 0 refused/);
    expect(terminal.output()).toContain('2000 read: 2000 created, 0 existing, 0 refused\r\n');
  });

  test('that is killed in the middle is completed by the next one: no account twice or missing', async () => {
    const { folder, env, run, write, databaseUrl, exported } = await setUp();
    const size = 2000;
    await write('users.jsonl', upTo(size).map(lineOf).join('\n'));
    const app = await startApp({ databaseUrl });
    onTestFinished(() => app.close());
    const stored = () => app.gatehouse.repositories.users.count({});
    for (let kills = 1; kills <= 3; kills++) {
      const child = spawn(process.execPath, [await built('svc'), 'user', 'import', 'users.jsonl'], {
        ...{ cwd: folder, env, stdio: 'ignore' as const },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = once(child, 'close');
      while ((await stored()) < kills * 500) await sleep(2);
      child.kill('SIGKILL');
      await ended;
      expect(await stored()).toBeLessThan(size);
    }
    const last = await run('user', 'import', 'users.jsonl', '--json');
    const { created, existing, ...rest } = JSON.parse(last.stdout);
    expect([created + existing, rest]).toEqual([size, { read: size, refused: 0, errors: [] }]);
    const lines = (await exported()).map(line => JSON.parse(line));
    expect(new Set(lines.map(({ email }) => email)).size).toBe(size);
    expect(lines.filter(({ identities }) => identities?.length !== 1)).toEqual([]);
  });
});

test('svc user export and import are audited, and have help', async () => {
  const { run } = await setUp();
  const exported = await run('user', 'export', '--with-hashes');
  expect(logRecords(exported.stderr)).toMatchObject([{ act: 'exportUsers', changes: ['with_hashes'] }]);
  expect((await run('user', 'import', '--help')).stdout).toMatch(/--dry-run[\s\S]*--firebase-parameters/);
});
