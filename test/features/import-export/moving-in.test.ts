import { execFile } from 'node:child_process';
import { pbkdf2Sync, randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import argon2 from 'argon2';
import { describe, expect, inject, test, vi } from 'vitest';
import { dataEncryptionKey, jwtSecret, startApp, TestClock } from '../../support/app.ts';
import { built } from '../../support/built.ts';
import { chaptersOf } from '../../support/documents.ts';
import { firebase } from '../../support/foreign.ts';
import { copyInstalled } from '../../support/sqlite.ts';

// Starting a process takes as long as the machine takes; no rule here is about that.
vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const fixtures = join(import.meta.dirname, '../../fixtures/foreign');
const plain = 'correct horse battery';
const decomposed = 'cafe\u0301 Zu\u0308rich 2';
const bcrypt = (
  JSON.parse(await readFile(join(fixtures, 'python.json'), 'utf8')) as { from: string; hash: string }[]
).find(({ from }) => from === 'bcrypt (PyPI), 2a')!.hash;

/** What stands where the reader's own data stand. */
interface Source {
  /** Fills the folder in which the reader works. */
  fill(folder: string): Promise<void>;
  /** Who signs in afterwards, with which password. */
  people: Record<string, string>;
  /** Who is there without a password, and with how many identities. */
  others?: Record<string, number>;
}

const database = (name: string, sql: string) => async (folder: string) => {
  const opened = new DatabaseSync(join(folder, name));
  opened.exec(sql);
  opened.close();
};
const dump = async (name: string) => readFile(join(fixtures, name), 'utf8');

const sources: Record<string, Source> = {
  'Better Auth': {
    fill: async folder => database('better-auth.db', await dump('better-auth.sql'))(folder),
    people: { 'ada@example.org': plain },
    others: { 'ada@example.org': 1, 'grace@example.org': 0, 'alan@example.org': 1 },
  },
  'Auth.js': {
    fill: database(
      'authjs.db',
      `create table users (id text primary key, name text, email text, "emailVerified" text, image text);
       create table accounts ("userId" text, type text, provider text, "providerAccountId" text);
       insert into users values ('1', 'Ada', 'ada@example.org', null, null), ('2', null, null, null, null);
       insert into accounts values ('1', 'oidc', 'google', 'g-ada'), ('1', 'oauth', 'gitlab', '7');`,
    ),
    people: {},
    others: { 'ada@example.org': 1 },
  },
  'Supabase Auth': {
    async fill(folder) {
      // As PostgreSQL writes json_build_object for rows of auth.users and auth.identities.
      const rows = [
        {
          ...{ id: '7f1b1a0e-6d0b-4f0e-9d5e-0d1f6a2b3c4d', email: 'ada@example.org', hash: bcrypt },
          ...{
            confirmed: '2024-05-06T07:08:09.123456+00:00',
            phone: '4915112345678',
            meta: { full_name: 'Ada' },
          },
          ...{ created: '2024-05-06T07:08:09.123456+00:00', banned: null },
          identities: [
            { provider: 'email', subject: '7f1b1a0e-6d0b-4f0e-9d5e-0d1f6a2b3c4d' },
            { provider: 'google', subject: 'g-ada' },
          ],
        },
        {
          ...{ id: '0a1b1a0e-6d0b-4f0e-9d5e-0d1f6a2b3c4d', email: 'grace@example.org', hash: '' },
          ...{ confirmed: null, phone: null, meta: {}, created: '2024-05-06T07:08:09+00:00', banned: null },
          identities: null,
        },
      ];
      await writeFile(join(folder, 'rows'), rows.map(row => `${JSON.stringify(row)}\n`).join(''));
      // A project is not to be had here.
      await program(folder, 'psql', `[ "$2 $3 $4" = "--tuples-only --no-align --command" ] && cat rows`);
    },
    people: { 'ada@example.org': plain },
    others: { 'ada@example.org': 1, 'grace@example.org': 0 },
  },
  Keycloak: {
    async fill(folder) {
      const salt = Buffer.from('c2FsdCtvZi9LZXljbG9hazE=', 'base64');
      const pbkdf2 = (digest: string, iterations: number) => ({
        type: 'password',
        secretData: JSON.stringify({
          // Keycloak derives 512 bits with SHA-256, too.
          value: pbkdf2Sync(plain, salt, iterations, 64, digest).toString('base64'),
          salt: salt.toString('base64'),
          additionalParameters: {},
        }),
        credentialData: JSON.stringify({
          ...{ hashIterations: iterations, algorithm: `pbkdf2-${digest}`, additionalParameters: {} },
        }),
      });
      const phc = await argon2.hash(plain, {
        type: argon2.argon2id,
        memoryCost: 7168,
        timeCost: 5,
        parallelism: 1,
      });
      const [, , , , argonSalt, value] = phc.split('$');
      const modern = {
        type: 'password',
        secretData: JSON.stringify({ value: `${value}=`, salt: `${argonSalt}==`, additionalParameters: {} }),
        credentialData: JSON.stringify({
          ...{ hashIterations: 5, algorithm: 'argon2' },
          additionalParameters: {
            ...{ hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] },
          },
        }),
      };
      const user = (email: string | undefined, credentials: object[], more = {}) => ({
        ...{ id: randomUUID(), username: email, email, emailVerified: true, enabled: true },
        ...{ createdTimestamp: 1714979289123, firstName: 'A', credentials, ...more },
      });
      const users = [
        user('ada@example.org', [modern, { type: 'otp', secretData: '{}', credentialData: '{}' }], {
          federatedIdentities: [
            { identityProvider: 'google', userId: 'g-ada', userName: 'ada' },
            { identityProvider: 'ldap-like', userId: '7', userName: 'ada' },
          ],
        }),
        user('grace@example.org', [pbkdf2('sha256', 27_500)]),
        user('edsger@example.org', [pbkdf2('sha512', 210_000)]),
        user('old@example.org', [
          { ...pbkdf2('sha1', 1), credentialData: '{"hashIterations":1,"algorithm":"pbkdf2"}' },
        ]),
        user(undefined, []),
      ];
      await writeFile(join(folder, 'exported.json'), JSON.stringify({ realm: 'shop', users }));
      await program(folder, 'kc.sh', `[ "$1 $4" = "export --file" ] && cp exported.json "$5"`);
    },
    people: { 'ada@example.org': plain, 'grace@example.org': plain, 'edsger@example.org': plain },
    others: { 'ada@example.org': 1, 'old@example.org': 0 },
  },
  Firebase: {
    async fill(folder) {
      const users = [
        {
          ...{ localId: '1', email: 'ada@example.org', emailVerified: true, displayName: 'Ada' },
          ...{
            passwordHash: firebase.hash,
            salt: firebase.salt,
            createdAt: '1714979289123',
            disabled: false,
          },
          providerUserInfo: [
            { providerId: 'google.com', rawId: 'g-ada' },
            { providerId: 'password', rawId: 'x' },
          ],
        },
        { localId: '2', phoneNumber: '+4915112345678', createdAt: '1714979289123' },
      ];
      await writeFile(join(folder, 'exported.json'), JSON.stringify({ users }));
      // The program of Firebase, as far as it can be had without a project.
      await program(folder, 'firebase', `[ "$1 $3" = "auth:export --format=json" ] && cp exported.json "$2"`);
    },
    people: { 'ada@example.org': firebase.password },
    others: { 'ada@example.org': 1 },
  },
  Django: {
    fill: async folder => database('db.sqlite3', await dump('django.sql'))(folder),
    people: { 'ada@example.org': plain, 'grace@example.org': decomposed, 'edsger@example.org': plain },
    others: { 'alan@example.org': 0, 'barbara@example.org': 0, 'donald@example.org': 0 },
  },
  Devise: {
    fill: database(
      'devise.sqlite3',
      `create table users (id integer primary key, email varchar not null, encrypted_password varchar not null,
         reset_password_token varchar, confirmed_at datetime, created_at datetime not null);
       insert into users values (1, 'ada@example.org', '${bcrypt}', null, '2024-05-06 07:08:09', '2024-05-06 07:08:09.123456');`,
    ),
    people: { 'ada@example.org': plain },
  },
  'Passport with bcrypt': {
    fill: folder =>
      writeFile(
        join(folder, 'users.json'),
        JSON.stringify([
          {
            _id: '1',
            email: 'Ada@Example.org',
            name: 'Ada',
            password: bcrypt,
            createdAt: '2024-05-06T07:08:09Z',
          },
          {
            ...{ _id: { $oid: '2' }, email: 'grace@example.org', password: null },
            createdAt: { $date: '2024-05-06T07:08:09.123Z' },
          },
          { _id: '3', name: 'Nobody' },
        ]),
      ),
    people: { 'ada@example.org': plain },
    others: { 'grace@example.org': 0 },
  },
  Auth0: {
    async fill(folder) {
      const lines = [
        {
          ...{ _id: { $oid: '5dea9f9c82dd7c0e76e4ec93' }, email_verified: true, email: 'ada@example.org' },
          ...{ passwordHash: bcrypt, password_set_date: { $date: '2019-12-06T18:36:12.412Z' } },
          ...{ tenant: 'example', connection: 'Username-Password-Authentication', _tmp_is_unique: true },
        },
        {
          ...{ _id: { $oid: '5dea9f9c82dd7c0e76e4ec94' }, alt_id: 'euclid', passwordHash: bcrypt },
          identifiers: [{ type: 'email', value: 'grace@example.org', verified: true }],
        },
      ];
      await writeFile(join(folder, 'auth0.ndjson'), lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    },
    people: { 'ada@example.org': plain, 'grace@example.org': plain },
  },
  Clerk: {
    async fill(folder) {
      const names =
        'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,' +
        'unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher';
      const addresses = '"ada@example.org,ada@example.net"';
      await writeFile(
        join(folder, 'clerk.csv'),
        `${names}
user_2ada,Ada,"Lovelace, ""Countess""",,ada@example.org,+4915112345678,${addresses},,+4915112345678,,,${bcrypt},bcrypt
user_2grace,Grace,,,grace@example.org,,,grace@example.org,,,,,
`,
      );
    },
    people: { 'ada@example.org': plain },
    others: { 'ada@example.org': 0, 'grace@example.org': 0 },
  },
};

/** Puts a program into the folder's own `bin`. */
async function program(folder: string, name: string, body: string): Promise<void> {
  const file = join(folder, 'bin', name);
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
}

describe('docs/moving-in.md and docs/from-auth0-and-clerk.md', async () => {
  const guide = new Map([
    ...(await chaptersOf('docs/moving-in.md')),
    ...(await chaptersOf('docs/from-auth0-and-clerk.md')),
  ]);

  test('has a chapter for each system that is tried here', () => {
    const withScripts = [...guide].filter(([, blocks]) => blocks.some(({ language }) => language === 'js'));
    expect(withScripts.map(([title]) => title)).toEqual(Object.keys(sources));
  });

  test.each(Object.entries(sources))('%s: everybody who moves in signs in', async (title, source) => {
    const folder = await mkdtemp(join(inject('temporaryFolder'), 'moving-'));
    await source.fill(folder);
    await program(folder, 'svc', `exec "${process.execPath}" "${await built('svc')}" "$@"`);
    await copyInstalled(join(folder, 'gatehouse.db'));
    const databaseUrl = `sqlite+aiosqlite:///${join(folder, 'gatehouse.db')}`;
    const env = {
      PATH: [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(delimiter),
      SVC_JWT_SECRET: jwtSecret,
      SVC_DATABASE_URL: databaseUrl,
      SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
    };
    const app = await startApp({
      databaseUrl,
      settings: { dataEncryptionKey },
      clock: new TestClock(new Date().toISOString()),
    });
    for (const { language, text } of guide.get(title)!) {
      if (language === 'js') await writeFile(join(folder, 'export.mjs'), text);
      if (language === 'json') await writeFile(join(folder, 'firebase-parameters.json'), text);
      if (language === 'sh') await run('sh', ['-ec', text], { cwd: folder, env });
    }

    const { users, oauth_identities } = app.gatehouse.repositories;
    const login = (email: string, password: string) => app.rest('POST', '/login', { email, password });
    const people = Object.entries(source.people);
    // A wrong one of each kind of hash, which may take long, is in test/crypto/foreign-hashes.test.ts.
    for (const [email] of people.slice(0, 1))
      expect((await login(email, 'a wrong password')).status).toBe(401);
    for (const [email, password] of people) {
      expect((await users.findByEmail(email))?.hashedPassword).not.toMatch(/^\$argon2id\$v=19\$m=64,/);
      expect((await login(email, password)).status, email).toBe(200);
      expect((await users.findByEmail(email))?.hashedPassword).toMatch(/^\$argon2id\$v=19\$m=64,/);
      expect((await login(email, password)).status).toBe(200);
    }
    for (const [email, count] of Object.entries(source.others ?? {})) {
      const user = (await users.findByEmail(email))!;
      expect(await oauth_identities.listByUser(user.id), email).toHaveLength(count);
    }
    expect(app.mails).toEqual([]);
    await app.close();
  });

  test('Better Auth: a password that was typed in a form other than NFKC signs in', async () => {
    // Better Auth normalises as Gatehouse does; this address was never verified.
    const folder = await mkdtemp(join(inject('temporaryFolder'), 'moving-'));
    await sources['Better Auth']!.fill(folder);
    const [script] = guide.get('Better Auth')!;
    await writeFile(join(folder, 'export.mjs'), script!.text);
    const { stdout } = await run(process.execPath, ['export.mjs'], { cwd: folder });
    const app = await startApp({ settings: { requireVerification: false } });
    const { features } = app.gatehouse as import('../../../src/gatehouse.ts').Assembled;
    async function* lines() {
      for (const [i, text] of stdout.trim().split('\n').entries()) yield { number: i + 1, text };
    }
    const ended = await features.importExport!.operator.importUsers({
      lines: lines(),
      onRefused: (_, message) => expect.fail(message),
    });
    expect(ended.created).toBe(3);
    const login = (password: string) => app.rest('POST', '/login', { email: 'grace@example.org', password });
    expect((await login(decomposed)).status).toBe(200);
    expect((await login(decomposed.normalize('NFC'))).status).toBe(200);
    await app.close();
  });
});
