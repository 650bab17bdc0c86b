import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { executeOnPostgres, withMongo, withSqlite } from './admin.ts';

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

/** What only the people in the database of the former version know. */
export interface People {
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

const read = (file: string) => readFileSync(join(import.meta.dirname, '../fixtures/former', file), 'utf8');

type BackendName = 'sqlite' | 'postgresql' | 'mongodb';

/** What the people in the database of the former version on this backend know. */
export const peopleOf = (backend: BackendName): People => parseDates(read('people.json'))[backend];

/** Every kind of statement that the former version sends to this backend. */
export const statementsOf = (backend: 'sqlite' | 'postgresql'): FormerStatement[] =>
  parseDates(read('statements.json'))[backend];

/** The collections of the former version. */
export const collectionsOf = (): FormerDatabase => parseDates(read('mongodb.json'));

/** Puts the database of the former version into an empty one. */
export async function restoreFormer(url: string): Promise<void> {
  const database = parseDatabaseUrl(url, 'svc');
  switch (database.backend) {
    case 'sqlite':
      await withSqlite(database.path, file => file.exec(read('sqlite.sql')));
      return;
    case 'postgresql':
      await executeOnPostgres(database.url, read('postgresql.sql'));
      return;
    case 'mongodb':
      await withMongo(url, async client => {
        const db = client.db(database.database);
        for (const [name, { documents, indexes }] of Object.entries(collectionsOf())) {
          const collection = db.collection(name);
          if (documents.length > 0) await collection.insertMany(documents);
          for (const { v: _, key, ...options } of indexes) {
            if (options.name !== '_id_') await collection.createIndex(key as Record<string, 1>, options);
          }
        }
      });
  }
}
