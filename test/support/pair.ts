import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import type { User } from '../../src/tables/user.ts';
import { jwtSecret, password, type Reply } from './app.ts';
import type { Backend } from './backends.ts';
import { built } from './built.ts';
import { hashCost } from './hashing.ts';
import { Program } from './program.ts';
import { storageOptions } from './storage.ts';

export interface PairRequest {
  token?: string | undefined;
  /** Which process is asked; else they take turns. */
  at?: 0 | 1;
}

/** Two `svc serve` processes on one database. */
export interface Pair {
  /** The setting `database_url`. */
  databaseUrl: string;
  repositories: Storage['repositories'];
  rest(method: string, path: string, body?: unknown, options?: PairRequest): Promise<Reply>;
  /** So many requests at the same moment, half of them to each process; the work passes `options` on. */
  atOnce(count: number, request: (i: number, options: PairRequest) => Promise<Reply>): Promise<Reply[]>;
  /** The first group of so many matches in what they wrote so far or write next; the pattern has the flag `g`. */
  written(pattern: RegExp, count?: number): Promise<string[]>;
  /** What both wrote so far. */
  output(): string;
  /** A user of this address whose password is `password`, stored without asking the processes to hash it. */
  addUser(email: string, fields?: Partial<User>): Promise<User>;
  /** Ends both by SIGTERM, each once its work is done, and answers their exit codes. */
  stop(): Promise<(number | null)[]>;
  close(): Promise<void>;
}

/** How many answers there were of each kind: an error by its code, a success by its status. */
export function tally(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const kind = status < 400 ? status : body.code;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/**
 * Starts both on a fresh database; mails and text messages appear, with their bodies, in what they write. What a race is
 * about is none of the hash's cost (`hashCost`).
 *
 * @throws {Error} when one does not listen in time; nothing is left of either then
 */
export async function startPair(backend: Backend, settings: Record<string, string> = {}): Promise<Pair> {
  const endings: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    return await openPair(backend, settings, endings, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** As `startPair`; what has been opened, whatever comes of it, is in `endings`. */
async function openPair(
  backend: Backend,
  settings: Record<string, string>,
  endings: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Pair> {
  const database = await backend.lendDatabase();
  endings.push(() => database.drop());
  const cwd = await mkdtemp(join(inject('temporaryFolder'), 'pair-'));
  const env = {
    SVC_DATABASE_URL: database.url,
    SVC_JWT_SECRET: jwtSecret,
    SVC_PORT: '0',
    SVC_EMAIL__LOG_BODIES: 'true',
    SVC_SMS__LOG_BODIES: 'true',
    ...settings,
  };
  const svc = await built('svc');
  const programs = [0, 1].map(() => new Program([svc, 'serve'], { cwd, env }));
  endings.push(() => Promise.all(programs.map(program => program.kill())));
  const listening = await Promise.all(programs.map(program => program.waitFor(/^listening on (\S+)$/m)));
  const urls = listening.map(([, url]) => `${url}/api/auth`);
  const storage = await openStorage(parseDatabaseUrl(database.url, 'svc'), storageOptions());
  endings.push(() => storage.close());
  const hashedPassword = await new PasswordHasher({ cost: hashCost() }).hash(password);
  const output = () => programs.map(program => program.output).join('\n');
  let turn = 0;

  const rest: Pair['rest'] = async (method, path, body, { token, at } = {}) => {
    const response = await fetch(`${urls[at ?? turn++ % 2]}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };

  // The first sign-in at a process loads its parts, which would take time that each of many at once has.
  const login = { email: 'nobody@example.org', password };
  for (const at of [0, 1] as const) await rest('POST', '/login', login, { at });

  return {
    databaseUrl: database.url,
    repositories: storage.repositories,
    rest,
    atOnce: (count, request) =>
      Promise.all(Array.from({ length: count }, (_, i) => request(i, { at: (i % 2) as 0 | 1 }))),
    async written(pattern, count = 1) {
      for (;;) {
        const found = [...output().matchAll(pattern)].map(([, group]) => group!);
        if (found.length >= count) return found;
        await Promise.any(programs.map(program => program.waitFor(/\n/, program.output.length)));
      }
    },
    output,
    async addUser(email, fields) {
      const user = newUser(new Date(), {
        email,
        fullName: null,
        hashedPassword,
        isVerified: true,
        ...fields,
      });
      if (!(await storage.repositories.users.add(user))) throw new Error(`${email} has a user already`);
      return user;
    },
    stop: () => Promise.all(programs.map(program => program.stop())),
    close,
  };
}
