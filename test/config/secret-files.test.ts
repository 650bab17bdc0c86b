import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environmentName, fields } from '../../src/config/names.ts';
import { folderWith, jwtSecret, load, problemOf } from './support.ts';

const planted = 'hunter2-hunter2-hunter2-hunter2-hunter2';
const files = { 'jwt.txt': `${planted}\n`, 'empty.txt': '\n' };
const unset = { SVC_JWT_SECRET: undefined };

/** The signing secret, which nothing works without, in another source than the one that a test is about. */
const secretsOf = (path: readonly string[]) =>
  path.join() === 'jwt_secret' ? '' : `SVC_JWT_SECRET=${jwtSecret}`;

describe('a variable that ends in _FILE', () => {
  test('gives every secret from a file, and no other field', () => {
    for (const { path, isSecret } of fields) {
      const name = `${environmentName(path)}_FILE`;
      const problem = problemOf({ env: { ...unset, [name]: './absent.txt' }, secrets: secretsOf(path) });
      expect([name, problem]).toEqual([
        name,
        isSecret ? expect.stringMatching(/does not exist/) : expect.stringMatching(/is not a setting/),
      ]);
    }
  });

  test.each([
    [`${planted}`, planted],
    [`${planted}\n`, planted],
    [`${planted}\r\n`, planted],
    [`${planted}\n\n`, planted],
    [` ${planted} \n`, ` ${planted} `],
  ])('drops the line breaks at the end and nothing else: %j', (text, expected) => {
    const { config, filesRead } = load({
      files: { 'jwt.txt': text },
      env: { ...unset, SVC_JWT_SECRET_FILE: './jwt.txt' },
    });
    expect(config.jwtSecret.reveal()).toBe(expected);
    expect(filesRead).toEqual([expect.stringMatching(/jwt\.txt$/)]);
  });

  test('is as good in the secrets file, and wins as its source does', () => {
    const secrets = 'SVC_EMAIL__SMTP_PASSWORD_FILE=jwt.txt\nSVC_JWT_SECRET_FILE=jwt.txt';
    const { config } = load({ files, secrets });
    expect(config.email.smtpPassword?.reveal()).toBe(planted);
    // The environment stands above the secrets file.
    expect(config.jwtSecret.reveal()).toBe(jwtSecret);
    const above = load({
      files,
      secrets: `SVC_JWT_SECRET=${jwtSecret}`,
      env: { ...unset, SVC_JWT_SECRET_FILE: 'jwt.txt' },
    });
    expect(above.config.jwtSecret.reveal()).toBe(planted);
  });

  test('is refused beside the variable itself', () => {
    expect(problemOf({ files, env: { SVC_JWT_SECRET_FILE: 'jwt.txt' } })).toBe(
      "environment: SVC_JWT_SECRET_FILE: can't be set together with SVC_JWT_SECRET: choose one",
    );
    // An empty variable is how a shell unsets one.
    expect(problemOf({ files, env: { SVC_JWT_SECRET: '', SVC_JWT_SECRET_FILE: 'jwt.txt' } })).toBe('');
    expect(problemOf({ env: { SVC_JWT_SECRET_FILE: '' } })).toBe('');
  });

  test('says in one line what is wrong with the file, and never what it holds', () => {
    const problem = (name: string, of = files) =>
      problemOf({ files: of, env: { ...unset, SVC_JWT_SECRET_FILE: name } });
    expect(problem('absent.txt')).toMatch(
      /^environment: SVC_JWT_SECRET_FILE: \S*absent\.txt does not exist$/,
    );
    expect(problem('empty.txt')).toMatch(/^environment: SVC_JWT_SECRET_FILE: \S*empty\.txt is empty$/);
    expect(problem('jwt.txt', { ...files, 'jwt.txt': 'hunter2' })).toBe(
      'environment: SVC_JWT_SECRET_FILE: must have at least 32 characters: `svc init` generates one',
    );
    const folder = folderWith({});
    mkdirSync(join(folder, 'a-folder'));
    expect(problem(join(folder, 'a-folder'))).toMatch(/a-folder can't be read \(EISDIR\)$/);
  });
});
