// Passport with express-session as their documentation sets them up, the sessions stored in the same database.
import { createServer } from 'node:http';
import { verify } from 'argon2';
import Database from 'better-sqlite3';
import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session, { type SessionData, Store } from 'express-session';
import passport from 'passport';
import { Strategy } from 'passport-local';
import pg from 'pg';
import { password, passwordHash } from '../seed.ts';
import { options, serve } from './serve.ts';

interface User {
  id: number;
  email: string;
  name: string;
}

/** The queries that Passport needs. */
interface Users {
  sessions: Store;
  byId(id: number): Promise<User | undefined>;
  byEmail(email: string): Promise<(User & { password: string }) | undefined>;
  add(email: string, name: string, password: string): Promise<void>;
}

/** The sessions of express-session in SQLite, as the stores that its documentation lists have them. */
class SqliteSessions extends Store {
  readonly #read;
  readonly #write;
  readonly #remove;

  constructor(database: Database.Database) {
    super();
    database.exec('create table session (sid text primary key, sess text not null, expire integer not null)');
    this.#read = database.prepare('select sess from session where sid = ? and expire > ?').pluck();
    this.#write = database.prepare('insert or replace into session values (?, ?, ?)');
    this.#remove = database.prepare('delete from session where sid = ?');
  }

  override get(sid: string, done: (error: unknown, session?: SessionData | null) => void): void {
    const text = this.#read.get(sid, Date.now()) as string | undefined;
    done(null, text ? JSON.parse(text) : null);
  }

  override set(sid: string, data: SessionData, done?: () => void): void {
    this.#write.run(sid, JSON.stringify(data), Date.now() + 86_400_000);
    done?.();
  }

  override destroy(sid: string, done?: () => void): void {
    this.#remove.run(sid);
    done?.();
  }
}

function openSqlite(file: string): Users {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec('create table users (id integer primary key, email text unique, name text, password text)');
  const byId = database.prepare('select id, email, name from users where id = ?');
  const byEmail = database.prepare('select * from users where email = ?');
  const add = database.prepare('insert into users (email, name, password) values (?, ?, ?)');
  return {
    sessions: new SqliteSessions(database),
    byId: async id => byId.get(id) as User | undefined,
    byEmail: async email => byEmail.get(email) as (User & { password: string }) | undefined,
    add: async (...values) => void add.run(...values),
  };
}

async function openPostgresql(connectionString: string): Promise<Users> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query(
    'create table people (id serial primary key, email text unique, name text, password text)',
  );
  const PgStore = connectPgSimple(session);
  return {
    sessions: new PgStore({ pool, createTableIfMissing: true }),
    byId: async id => (await pool.query('select id, email, name from people where id = $1', [id])).rows[0],
    byEmail: async email => (await pool.query('select * from people where email = $1', [email])).rows[0],
    add: async (...values) => {
      await pool.query('insert into people (email, name, password) values ($1, $2, $3)', values);
    },
  };
}

const url: string = options.databaseUrl;
const users = url.startsWith('postgres')
  ? await openPostgresql(url.replace('+asyncpg', ''))
  : openSqlite(url.replace(/^.*?:\/\/\//, ''));

passport.use(
  new Strategy({ usernameField: 'email' }, async (email, given, done) => {
    const user = await users.byEmail(email);
    done(null, user && (await verify(user.password, given)) ? user : false);
  }),
);
passport.serializeUser((user, done) => done(null, (user as User).id));
passport.deserializeUser(async (id: number, done) => done(null, (await users.byId(id)) ?? false));

const app = express();
app.use(express.json());
app.use(
  session({
    secret: 'a secret for the bench of more than 32 characters',
    store: users.sessions,
    resave: false,
    saveUninitialized: false,
  }),
);
app.use(passport.session());
app.post('/login', passport.authenticate('local'), (req, res) => {
  res.json({ token: req.sessionID });
});
app.get('/me', (req, res) => {
  res.status(req.user ? 200 : 401).json(req.user ?? {});
});

const server = createServer(app);
await serve(server, {
  /** Makes users who are signed in, and answers the cookie of each. */
  async seed(count: number) {
    const seeded: { email: string; password: string; cookie: string }[] = [];
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
    for (let i = 0; i < count; i++) {
      const email = `user-${i}@example.org`;
      await users.add(email, `User ${i}`, passwordHash);
      const response = await fetch(`http://127.0.0.1:${address.port}/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      const [cookie] = response.headers.getSetCookie();
      seeded.push({ email, password, cookie: cookie!.split(';')[0]! });
    }
    return seeded;
  },
});
