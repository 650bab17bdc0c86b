import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { executeOnPostgres, withMongo, withSqlite } from './admin.ts';
import type { KeptPasskey } from './passkeys.ts';

/** A statement that the former version sends, with values as it sent them. */
export interface FormerStatement {
  sql: string;
  values: unknown[];
}

/** Collections of the former version, as they were stored. */
export type FormerDatabase = Record<
  string,
  { documents: Record<string, unknown>[]; indexes: Record<string, unknown>[] }
>;

/** The secrets of the people in the database of the first version. */
export interface FormerPeople {
  /** When all of it was made; nothing has expired then. */
  now: string;
  /** Of every account. */
  password: string;
  ids: { ordinary: string; linked: string; external: string };
  sessions: { ordinary: string; loggedOut: string; revoked: string };
  /** Of the account with a second factor. */
  phone: string;
  /** A login of that account that waits for its code. */
  login: { mfa_pending_token: string; code: string };
  /** Tokens of mailed links. */
  registration: string;
  verification: string;
  reset: string;
}

/**
 * The secrets of the people in the database of the version before this one. The accounts: `ordinary`; `phone`, `app` and
 * `both` with these second factors; `imported`, whose phone number was not confirmed, with an app that was added later;
 * `passkey`; `linked`; `open`, `reported` and `putback`, after no step, one and both steps of a link "this was not me";
 * `moved`, at another address now; `changing`, whose new address is not confirmed; `superuser`.
 */
export interface BeforePeople {
  /** When all of it was made; nothing has expired then. */
  now: string;
  /** Of every account but the one that was put back, which has `newPassword`. */
  password: string;
  newPassword: string;
  ids: Record<string, string>;
  sessions: Record<string, string>;
  /** The provider that knows linked-subject. */
  issuer: string;
  phones: { phone: string; both: string; imported: string };
  /** Of the authenticator apps. */
  secrets: Record<string, string>;
  recoveryCodes: Record<string, string[]>;
  passkey: KeptPasskey;
  /** Tokens of links "this was not me", of an email about a sign-in; of `moved`, about the former address. */
  notMe: { open: string; reported: string; putback: string; moved: string };
  /** The token that makes waiting@example.org an account. */
  registration: string;
  /** The token that confirms the address changed@example.org. */
  emailChange: string;
  /** Sign-ins that wait for their second step. */
  phoneLogin: { mfa_pending_token: string; code: string };
  appLogin: { mfa_pending_token: string };
}

const isDate = (value: unknown): value is { $date: string } =>
  typeof value === 'object' && value !== null && '$date' in value;

/** JSON in which times stay times, as in MongoDB's extended JSON. */
export function stringifyDates(value: unknown): string {
  const replace = function (this: Record<string, unknown>, key: string, plain: unknown) {
    const original = this[key];
    return original instanceof Date ? { $date: original.toISOString() } : plain;
  };
  return `${JSON.stringify(value, replace, 2)}\n`;
}

/** Reads what `stringifyDates` wrote. */
const parseDates = (text: string) =>
  JSON.parse(text, (_, value) => (isDate(value) ? new Date(value.$date) : value));

type BackendName = 'sqlite' | 'postgresql' | 'mongodb';

const unchanged = (text: string) => text;

/** The fixtures of a former version. */
function fixturesOf<People>(version: string) {
  const read = (file: string) =>
    readFileSync(join(import.meta.dirname, '../fixtures', version, file), 'utf8');
  const collections = (edit = unchanged): FormerDatabase => parseDates(edit(read('mongodb.json')));
  return {
    collections,

    /** The secrets of the people in the database on this backend. */
    people: (backend: BackendName): People => parseDates(read('people.json'))[backend],

    /** Every kind of statement that this version sends to this backend. */
    statements: (backend: 'sqlite' | 'postgresql'): FormerStatement[] =>
      parseDates(read('statements.json'))[backend],

    /** Puts the database into an empty one, its text edited before. */
    async restore(url: string, edit = unchanged): Promise<void> {
      const database = parseDatabaseUrl(url, 'svc');
      switch (database.backend) {
        case 'sqlite':
          await withSqlite(database.path, file => file.exec(edit(read('sqlite.sql'))));
          return;
        case 'postgresql':
          await executeOnPostgres(database.url, edit(read('postgresql.sql')));
          return;
        case 'mongodb':
          await withMongo(url, async client => {
            const db = client.db(database.database);
            for (const [name, { documents, indexes }] of Object.entries(collections(edit))) {
              const collection = db.collection(name);
              if (documents.length > 0) await collection.insertMany(documents);
              for (const { v: _, key, ...options } of indexes) {
                if (options.name !== '_id_') await collection.createIndex(key as Record<string, 1>, options);
              }
            }
          });
      }
    },
  };
}

/** A database of the first version. */
export const former = fixturesOf<FormerPeople>('former');

/** A database of the version before this one, with strong sign-in, and mail and audit in the database. */
export const before = fixturesOf<BeforePeople>('before');
