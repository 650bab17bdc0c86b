import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import express, { type RequestHandler } from 'express';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { HashCost } from '../../src/crypto/schemes/argon2.ts';
import type { Hooks } from '../../src/domain/hooks.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { type Assembled, assemble, type Gatehouse } from '../../src/gatehouse.ts';
import type { Limiter } from '../../src/limits/rate-limit.ts';
import type { Logger } from '../../src/logger.ts';
import type { Mail } from '../../src/mail/mailer.ts';
import type { TextMessage } from '../../src/sms/sender.ts';
import { cheapHash } from '../../src/testing/cheap-hash.ts';
import { TestClock as MovableClock, standingStillAt } from '../../src/testing/clock.ts';
import type { Backend } from './backends.ts';
import { listen } from './listening.ts';
import { lendSqliteFile } from './sqlite.ts';

/** A clock that stands still until it is told to move. */
export class TestClock extends MovableClock {
  /** Starts far in the future, where MongoDB's own clock sees nothing that has expired. */
  constructor(start = '2040-01-02T03:04:05.678Z') {
    super(standingStillAt(new Date(start)));
  }
}

export interface AppOptions {
  /** Lends the app a database; without one and without a URL it is one of SQLite. */
  backend?: Backend;
  /** A database that somebody else drops. */
  databaseUrl?: string;
  /** Mails are captured unless an email backend is named here. Where it will listen may matter for them. */
  settings?: ConfigInput | ((origin: string) => Promise<ConfigInput>);
  clock?: TestClock;
  /** The cost of a password hash; next to nothing unless a test is about it. Undefined means the real one. */
  hashCost?: HashCost;
  /** What the host has mounted in front of the router. */
  before?: RequestHandler[];
  /** The counter of requests, in place of the package. */
  limiter?: Limiter;
  /** The hooks of the host; the time for their answers is that of the clock. */
  hooks?: Hooks;
  /** Whether an operation responds when its messages are sent and its work after the response is done. */
  settles?: boolean;
}

export interface LogRecord {
  level: keyof Logger;
  message: string;
  fields: object;
}

export interface RequestOptions {
  token?: string;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of it, it also expects
  body: any;
}

/** An instance in an Express host on loopback. */
export interface App {
  /** Where it listens: `http://127.0.0.1:12345`. */
  origin: string;
  /** Where the router is mounted: `http://127.0.0.1:12345/api/auth`. */
  url: string;
  gatehouse: Gatehouse;
  clock: TestClock;
  /** All mails so far, oldest first. */
  mails: Mail[];
  /** All text messages so far, oldest first. */
  texts: TextMessage[];
  logs: LogRecord[];
  /** The oldest mail to this address that was not asked for yet, waiting for it when it is still to come. */
  nextMail(to: string): Promise<Mail>;
  /** As `nextMail`, of the text messages to a phone. */
  nextText(to: string): Promise<TextMessage>;
  rest(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Reply>;
  graphql(query: string, variables?: object, options?: RequestOptions): Promise<Reply>;
  close(): Promise<void>;
}

/** The signing secret of every app, unless its settings say otherwise. */
export const jwtSecret = 'a secret for tests of more than 32 characters';

/** What an app with authenticator apps needs. */
export const dataEncryptionKey = 'a_key_for_tests_of_32_bytes_in_base64url_00';

/** The headers that `fetch` of Node adds, except the encodings. */
const sentByFetch = {
  Accept: '*/*',
  'Accept-Language': '*',
  'Sec-Fetch-Mode': 'cors',
  'User-Agent': 'node',
};

/** How long a message may be on its way, in milliseconds. */
const messageTimeoutMs = 20_000;

/** Starts an app. Configuration files and the environment of the test run don't reach it. */
export async function startApp(options: AppOptions = {}): Promise<App> {
  const { clock = new TestClock(), before = [] } = options;
  const host = express();
  const { origin, close } = await listen(createServer({ keepAliveTimeout: 65_000 }, host));
  const settings =
    typeof options.settings === 'function' ? await options.settings(origin) : (options.settings ?? {});
  const hashCost = 'hashCost' in options ? options.hashCost : cheapHash;
  const lend = options.backend?.lendDatabase ?? lendSqliteFile;
  const database = options.databaseUrl === undefined ? await lend() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url;
  const post = capture<Mail>('mail');
  const carrier = capture<TextMessage>('text message');
  const logs: LogRecord[] = [];

  const { config } = loadConfig({
    arguments: { jwtSecret, databaseUrl, ...settings },
    env: {},
    cwd: import.meta.dirname,
  });
  const mailer = settings.email?.backend ? undefined : { send: post.send };
  const smsSender = settings.sms?.backend ? undefined : { send: carrier.send };
  const gatehouse = await assemble(config, {
    clock,
    hashCost,
    mailer,
    smsSender,
    limiter: options.limiter,
    hooks: options.hooks,
    ...(options.settles && { settles: true }),
    schedule: clock.schedule,
    logger: captureLogs(logs),
  });
  await gatehouse.installSchema();

  for (const handler of before) host.use(handler);
  host.use(config.apiPrefix, gatehouse.router);
  host.use(config.uiPrefix, gatehouse.uiRouter);
  host.use(config.staticPrefix, gatehouse.staticFiles);
  host.use('/.well-known', gatehouse.wellKnown);
  host.use((_req, res) => void res.status(404).send('not known to the host'));
  const url = `${origin}${config.apiPrefix}`;

  // Not `fetch`, which takes more than twice the processor time for a request.
  const agent = new Agent({ keepAlive: true });
  const rest: App['rest'] = async (method, path, body, { token, headers = {} } = {}) => {
    const sent = body === undefined ? '' : JSON.stringify(body);
    const asked = request(`${url}${path}`, {
      method,
      agent,
      headers: {
        ...sentByFetch,
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(sent),
        }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
    asked.end(sent);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const answered = headersOf(response);
    const content = await text(response);
    const isJson = /\bjson\b/.test(answered.get('Content-Type') ?? '');
    return {
      status: response.statusCode!,
      headers: answered,
      body: isJson && content ? JSON.parse(content) : content,
    };
  };

  return {
    origin,
    url,
    gatehouse,
    clock,
    mails: post.messages,
    texts: carrier.messages,
    logs,
    nextMail: post.next,
    nextText: carrier.next,
    rest,
    graphql: (query, variables, options) => rest('POST', '/graphql', { query, variables }, options),
    async close() {
      agent.destroy();
      await close();
      await gatehouse.close();
      await database?.drop();
    },
  };
}

/** An account that is verified and signed in. */
export interface Member {
  id: string;
  email: string;
  password: string;
  token: string;
}

/** The password of everybody in the tests who needs no other. */
export const password = 'correct horse battery';

/** The password that replaces it. */
export const newPassword = 'another horse battery';

/**
 * Signs in to a new account that is verified, which is stored as a registration leaves it: registrations have tests of their
 * own, and a mail and two requests take longer than most of what tests do next.
 */
export async function signUp(app: App, email = `${randomUUID()}@example.org`): Promise<Member> {
  const { dependencies, repositories } = app.gatehouse as Assembled;
  const now = app.clock.now();
  const hashed = await dependencies.passwords.hasher.rehash(password);
  const { locales } = dependencies.config;
  const user = newUser(now, {
    ...{ email, fullName: null, ...hashed, passwordSetAt: now, signedUpAt: now, isVerified: true },
    locale: locales.length > 1 ? locales[0]! : null,
  });
  if (!(await repositories.users.add(user))) throw new Error(`There is an account of ${email} already.`);
  return { id: user.id, email, password, token: await logIn(app, { email, password }) };
}

/** As `signUp`, but by a registration, with its mail and its events. */
export async function signUpByMail(app: App, email = `${randomUUID()}@example.org`): Promise<Member> {
  await app.rest('POST', '/register', { email, password });
  let mail = await app.nextMail(email);
  // The deletion of an earlier account of this address was mailed, too.
  while (mail.subject.endsWith('was deleted')) mail = await app.nextMail(email);
  const user = await app.rest('POST', '/verify', { token: tokenOf(mail) });
  return { id: user.body.id, email, password, token: await logIn(app, { email, password }) };
}

/** Signs in and answers the session token. @throws when that fails */
export async function logIn(
  app: App,
  { email, password }: Pick<Member, 'email' | 'password'>,
): Promise<string> {
  const { status, body } = await app.rest('POST', '/login', { email, password });
  if (status !== 200) throw new Error(`The login failed: ${JSON.stringify(body)}`);
  return body.access_token;
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return headers;
}

/** The token in the link of a mail. */
export function tokenOf({ text }: { text: string }): string {
  const token = /[?&]token=([\w.-]+)/.exec(text)?.[1];
  if (!token) throw new Error(`There is no link with a token in:\n${text}`);
  return token;
}

function captureLogs(records: LogRecord[]): Logger {
  const log =
    (level: keyof Logger): Logger['info'] =>
    (fields, message) =>
      void records.push({ level, fields, message });
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** Keeps messages in place of sending them. */
function capture<Message extends { to: string }>(noun: string) {
  const messages: Message[] = [];
  const taken = new Set<Message>();
  const arrivals = new EventEmitter().setMaxListeners(0);

  async function next(to: string): Promise<Message> {
    const signal = AbortSignal.timeout(messageTimeoutMs);
    for (;;) {
      const message = messages.find(message => message.to === to && !taken.has(message));
      if (message) {
        taken.add(message);
        return message;
      }
      await once(arrivals, 'message', { signal }).catch(cause => {
        throw new Error(`no ${noun} to ${to} within ${messageTimeoutMs} ms`, { cause });
      });
    }
  }

  async function send(message: Message): Promise<void> {
    messages.push(message);
    arrivals.emit('message');
  }

  return { messages, send, next };
}
