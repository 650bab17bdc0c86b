import { argon2id, hash } from 'argon2';
import Database from 'better-sqlite3';
import { v7 as uuidv7 } from 'uuid';
import { systemClock } from '../src/clock.ts';
import { parseDatabaseUrl } from '../src/config/database-url.ts';
import { loadConfig } from '../src/config/load.ts';
import { Tokens } from '../src/crypto/tokens.ts';
import { lifetimesOf } from '../src/domain/issuing.ts';
import { newUser } from '../src/domain/new-user.ts';
import { createOAuthResults } from '../src/domain/oauth-results.ts';
import { openStorage } from '../src/storage/open.ts';
import { storageOptionsOf } from '../src/storage/options.ts';
import type { OAuthState } from '../src/tables/oauth-state.ts';
import type { User } from '../src/tables/user.ts';

export const jwtSecret = 'a signing secret for the bench, longer than 32 characters';
export const password = 'correct horse battery';

/** A stored user with a session. */
export interface Seeded {
  id: string;
  email: string;
  token: string;
}

const lifetimes = lifetimesOf(
  loadConfig({ arguments: { jwtSecret }, env: {}, cwd: import.meta.dirname }).config,
);
const tokens = new Tokens({ secret: jwtSecret, algorithm: 'HS256', clock: systemClock, lifetimes });

/** The stored form of the password of every user of the bench. */
export const passwordHash = await hash(password, {
  type: argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
});

const userNumber = (i: number): User =>
  newUser(new Date(), {
    email: `user-${i}@example.org`,
    fullName: `User ${i}`,
    hashedPassword: passwordHash,
    isVerified: true,
    isSuperuser: i === 0,
  });

async function open(databaseUrl: string) {
  const { config } = loadConfig({ arguments: { jwtSecret, databaseUrl }, env: {}, cwd: import.meta.dirname });
  return openStorage(parseDatabaseUrl(databaseUrl, config.mongodbDatabase), storageOptionsOf(config));
}

const signIn = (user: User) => tokens.sign('session', { sub: user.id, issuedAt: new Date() });

/** Makes the schema and so many users, the first a superuser, each with a session. */
export async function seed(databaseUrl: string, users = 1000): Promise<Seeded[]> {
  const storage = await open(databaseUrl);
  await storage.install();
  const seeded: Seeded[] = [];
  for (let i = 0; i < users; i++) {
    const user = userNumber(i);
    await storage.repositories.users.add(user);
    seeded.push({ id: user.id, email: user.email, token: await signIn(user) });
  }
  await storage.close();
  return seeded;
}

/** Stores what a sign-in with the session list on has stored of these sessions. */
export async function seedSessionRecords(databaseUrl: string, users: Seeded[]): Promise<void> {
  const storage = await open(databaseUrl);
  for (const { id: userId, token } of users) {
    const { jti: id, iat, exp } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const createdAt = new Date(iat * 1000);
    await storage.repositories.sessions.add({
      ...{ id, userId, createdAt, lastSeenAt: createdAt, expiresAt: new Date(exp * 1000) },
      ...{ ip: '127.0.0.1', userAgent: null, device: null, method: 'password' },
    });
  }
  await storage.close();
}

/** Fills a database up to so many users. */
export async function fill(databaseUrl: string, from: number, to: number): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) return fillFile(databaseUrl, from, to);
  const storage = await open(databaseUrl);
  const atOnce = 10_000;
  for (let i = from; i < to; i += atOnce) {
    const count = Math.min(atOnce, to - i);
    await storage.repositories.users.addMany(Array.from({ length: count }, (_, j) => userNumber(i + j)));
  }
  await storage.close();
}

/** Stores so many audit records that are older than they are kept. */
export async function seedOldRecords(databaseUrl: string, count: number): Promise<void> {
  const storage = await open(databaseUrl);
  const at = new Date(Date.now() - 10 * 365 * 86_400_000);
  const add = () =>
    storage.repositories.audit.add({
      ...{ id: uuidv7({ msecs: at.getTime() }), at, operation: 'login', by: 'self', actor: null },
      ...{ subject: null, outcome: 'ok', code: null, changes: null, count: 1, ip: null, device: null },
      ...{ requestId: null, fold: null },
    });
  for (let i = 0; i < count; i += 100) await Promise.all(Array.from({ length: 100 }, add));
  await storage.close();
}

/** Fills an SQLite file up to so many users, past the ORM, as a million of them should take seconds. */
function fillFile(databaseUrl: string, from: number, to: number): void {
  const database = new Database(databaseUrl.replace(/^.*?:\/\/\//, ''));
  const snake = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  const plain = (value: unknown) =>
    value instanceof Date ? value.getTime() : typeof value === 'boolean' ? Number(value) : value;
  // A column that is left out is null.
  const rowOf = (user: User) =>
    Object.fromEntries(
      Object.entries(user).flatMap(([name, value]) => (value === null ? [] : [[snake(name), plain(value)]])),
    );
  const columns = Object.keys(rowOf(userNumber(from)));
  const insert = database.prepare(
    `insert into users (${columns.join(', ')}) values (${columns.map(name => `@${name}`).join(', ')})`,
  );
  database.transaction(() => {
    for (let i = from; i < to; i++) insert.run(rowOf(userNumber(i)));
  })();
  database.exec('analyze');
  database.close();
}

/** Ids of external sign-ins that are finished and wait to be exchanged. */
export async function finishedSignIns(databaseUrl: string, user: Seeded, count: number): Promise<string[]> {
  const storage = await open(databaseUrl);
  const { config } = loadConfig({ arguments: { jwtSecret, databaseUrl }, env: {}, cwd: import.meta.dirname });
  const results = createOAuthResults({ config, clock: systemClock, repositories: storage.repositories });
  const createdAt = new Date();
  const flow: OAuthState = {
    ...{ id: uuidv7(), provider: 'google', mode: 'signin', codeVerifier: '', nonce: '', redirectTo: '/' },
    ...{ codeChallenge: null, linkingUserId: null, linkingSession: null, maxAge: null },
    ...{ resultToken: null, wasNewAccount: false, createdAt, expiresAt: createdAt },
  };
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await results.add(flow, user.token, false));
  await storage.close();
  return ids;
}
