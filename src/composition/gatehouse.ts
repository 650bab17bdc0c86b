import type { GraphQLSchema } from 'graphql';
import type { Assurance } from '../assurance/judge.ts';
import type { Config } from '../config/schema.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Purged } from '../domain/maintenance.ts';
import type { Operation } from '../domain/operation.ts';
import type { EventName, StoredEventName } from '../event-names.ts';
import type { Handler, StoredHandler } from '../events.ts';
import type { AccessAuth, AccessProtected, AccessRequirements } from '../http/access-guard.ts';
import type { FetchHandler } from '../http/fetch.ts';
import type { Auth, Guard } from '../http/guard.ts';
import type { Protected } from '../http/guards.ts';
import type { NodeHandler } from '../http/node.ts';
import type { Protection, SessionRequirements } from '../http/requirements.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Readiness } from '../observability/readiness.ts';
import type { Status } from '../observability/status.ts';
import type { Drained } from '../outgoing/message-queue.ts';
import type { Sessions } from '../server-api/sessions.ts';
import type { Users } from '../server-api/users.ts';
import type { Operator } from '../services/operator.ts';
import type { Storage } from '../storage/open.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { FeatureMembers, OpenFeatures } from './features.ts';

/** How a handler gets its events. */
export interface DurableOptions {
  /** The name under which they are stored: the same in every version and every process. */
  durable: string;
}

/** One instance. It shares no state with another instance in the same process. */
export interface Gatehouse extends FeatureMembers {
  readonly config: Config;
  /**
   * REST and GraphQL, to be mounted at `config.apiPrefix`.
   * @throws {RuntimeError} when a `*_rate_limit` is set and nothing can count requests
   * @example app.use(gatehouse.config.apiPrefix, gatehouse.router);
   */
  readonly router: NodeHandler;
  /**
   * The pages, to be mounted at `config.uiPrefix`; none while they are switched off.
   * @example app.use(gatehouse.config.uiPrefix, gatehouse.uiRouter);
   */
  readonly uiRouter: NodeHandler;
  /**
   * The style sheets and scripts of the pages, to be mounted at `config.staticPrefix`; none while the pages are switched
   * off.
   * @example app.use(gatehouse.config.staticPrefix, gatehouse.staticFiles);
   */
  readonly staticFiles: NodeHandler;
  /**
   * Where password managers find the account page: `change-password`, and `passkey-endpoints` while `enable_passkeys` is
   * on. Without the bundled pages both lead to `urls.account`. With `enable_tokens` also the keys and metadata by which APIs
   * check tokens. To be mounted at `/.well-known`, and for an `issuer` with a path below that path, too; it leaves every other
   * path to the host.
   * @example app.use('/.well-known', gatehouse.wellKnown);
   */
  readonly wellKnown: NodeHandler;
  /**
   * All of these at their prefixes, in one handler that is mounted at none: for `node:http`, and for frameworks whose
   * middleware gets whole paths.
   * @throws {RuntimeError} as `router`
   * @example createServer((req, res) => gatehouse.handler(req, res, () => res.writeHead(404).end()));
   */
  readonly handler: NodeHandler;
  /**
   * As `handler`, for runtimes and frameworks of the Fetch standard. An unknown path is a 404 problem. Without `ip`, all
   * callers are one client, unless `trusted_proxies` names the proxies whose `X-Forwarded-For` counts.
   * @throws {RuntimeError} as `router`
   * @example Bun.serve({ fetch: request => gatehouse.fetch(request) });
   */
  readonly fetch: FetchHandler;
  /**
   * Sends browsers a 404 page; requests of other clients continue to the next handler. For a host without pages of its
   * own there.
   * @example app.use(gatehouse.config.uiPrefix, gatehouse.uiRouter, gatehouse.notFoundPage);
   */
  readonly notFoundPage: NodeHandler;
  /**
   * Returns the GraphQL schema of this configuration, built on the first call, to be read: documents are executed by
   * `router`, which knows their caller (docs/graphql.md).
   * @example const types = Object.keys((await gatehouse.graphqlSchema()).getTypeMap());
   */
  graphqlSchema(): Promise<GraphQLSchema>;
  /**
   * Returns the same schema as text, for tools and for hosts with another copy of the package `graphql`.
   * @example await writeFile('accounts.graphql', await gatehouse.graphqlSdl());
   */
  graphqlSdl(): Promise<string>;
  /** Accounts, for your own program (docs/server-api.md). */
  readonly users: Users;
  /** Sessions for people whom your own program has identified (docs/server-api.md). */
  readonly sessions: Sessions;
  /**
   * The stored records, read and written past the operations: without access checks, limits, audit and events.
   * @example const user = await gatehouse.repositories.users.findByEmail('ada@example.org');
   */
  readonly repositories: Omit<Repositories, 'rate_limits' | 'rows'>;
  /**
   * Migrates the database to the schema of this version. Safe at every start, and from several processes at once.
   * @throws {StorageError} that says in a line why the database cannot be used
   * @example await gatehouse.installSchema();
   */
  installSchema(): Promise<void>;
  /**
   * Returns how the installed schema compares with the one that this version needs.
   * @throws {GatehouseError} unavailable, when the database does not respond
   * @example if ((await gatehouse.schemaState()) === 'behind') await gatehouse.installSchema();
   */
  schemaState: Storage['readSchemaState'];
  /**
   * Checks the database.
   * @throws {GatehouseError} unavailable, when the database does not respond or accepts no writes
   * @example await gatehouse.ping();
   */
  ping(): Promise<void>;
  /**
   * Returns whether requests can be served: the database responds and accepts writes, and this version can use its
   * schema.
   * @example const { isReady } = await gatehouse.readiness();
   */
  readiness(): Promise<Readiness>;
  /**
   * Returns the state of every part, for operators: more than strangers should know.
   * @example const { status, degraded } = await gatehouse.status();
   */
  status(): Promise<Status>;
  /**
   * Returns which requirements of OWASP ASVS and NIST SP 800-63B this configuration meets, as `svc validate --assurance
   * --json` prints it. A mailer of the host counts as one of the configuration.
   * @example const { met, applicable } = (await gatehouse.assurance()).levels['asvs-2'];
   */
  assurance(): Promise<Assurance>;
  /**
   * Metrics in the format of Prometheus; null unless `enable_metrics` is on.
   * @example res.type(gatehouse.metrics.contentType).send(await gatehouse.metrics.text());
   */
  readonly metrics: Pick<Metrics, 'contentType' | 'text'> | null;
  /**
   * Returns middleware that rejects requests without a valid session and puts the session into `req.auth`.
   * @throws {TypeError} for an unknown requirement
   * @example app.get('/orders', gatehouse.requireSession(), (req, res) => res.json(req.auth.user.fullName));
   */
  requireSession(requirements?: SessionRequirements): Guard<Auth>;
  /**
   * As `requireSession`; the user must also be a superuser.
   * @throws {TypeError} for an unknown requirement
   * @example app.get('/backstage', gatehouse.requireSuperuser(), (req, res) => res.json(req.auth.user.email));
   */
  requireSuperuser(requirements?: SessionRequirements): Guard<Auth>;
  /**
   * As `requireSession`; the user must also have this role, which is read at each request.
   * @throws {TypeError} for an unknown requirement, and when the configuration names no such role
   * @example app.get('/drafts', gatehouse.requireRole('editor'), (req, res) => res.json([]));
   */
  requireRole(role: string, requirements?: SessionRequirements): Guard<Auth>;
  /**
   * Returns middleware that lets in who has a session, an API key or an access token, as the requirements say, and puts who it
   * is into `req.auth`. A key or a token needs all of the scopes; a session has every one.
   * @throws {TypeError} without scopes, and for what the configuration does not name or has switched off
   * @example app.get('/orders', gatehouse.requireAccess({ scopes: ['orders:read'] }), (req, res) => res.json(req.auth.kind));
   */
  requireAccess(requirements: AccessRequirements): Guard<AccessAuth>;
  /**
   * As `requireAccess`, for a request of the Fetch standard: returns who sent it, or the response that refuses it.
   * @throws {TypeError} as `requireAccess`
   * @example
   * const { auth, response } = await gatehouse.protectAccess(request, { scopes: ['orders:read'] });
   * if (response) return response;
   */
  protectAccess(request: Request, requirements: AccessRequirements): Promise<AccessProtected>;
  /**
   * Returns middleware that lets everyone in; `req.auth` is null without a valid session. While the database is down, a
   * request with a token is 503.
   * @throws {TypeError} for an unknown requirement
   * @example app.get('/', gatehouse.optionalSession(), (req, res) => res.json(req.auth?.user.email ?? 'a stranger'));
   */
  optionalSession(requirements?: Pick<SessionRequirements, 'browser'>): Guard<Auth | null>;
  /**
   * Returns the session of a token, or null; for sockets and other frameworks.
   * @throws {GatehouseError} unavailable
   * @example const auth = await gatehouse.authenticate(token);
   */
  authenticate(token: string): Promise<Auth | null>;
  /**
   * Returns the session of a request of the Fetch standard, or null. With `browser`, the host's response has to carry
   * `Cache-Control: private, no-store` and `Vary: Cookie`.
   * @throws {GatehouseError} unavailable
   * @throws {TypeError} for an unknown requirement
   * @example const auth = await gatehouse.sessionOf(request);
   */
  sessionOf(request: Request, requirements?: Pick<SessionRequirements, 'browser'>): Promise<Auth | null>;
  /**
   * As `requireSession` and `requireSuperuser`, for a request of the Fetch standard: returns who sent it, or the response
   * that refuses it, which the host returns as it is.
   * @throws {TypeError} for an unknown requirement, and when the configuration names no such role
   * @example
   * const { auth, response } = await gatehouse.protect(request, { role: 'editor' });
   * if (response) return response;
   */
  protect(request: Request, requirements?: Protection): Promise<Protected>;
  /**
   * Calls the handler at every such event, until the returned function is called.
   * @throws {TypeError} when there is no such event
   * @example const stop = gatehouse.on('email_changed', ({ user, previousEmail }) => rename(previousEmail, user.email));
   */
  on<E extends EventName>(event: E, handler: Handler<E>): () => void;
  /**
   * As `on`; each event is stored under the name before its act is acknowledged, and the handler runs from there, at least
   * once, and again when it throws. Every process of the host has to register the same handlers.
   * @example gatehouse.on('user_deleted', ({ user }) => crm.forget(user.id), { durable: 'crm' });
   * @throws {TypeError} without `mail_store = "database"`, and for a name that has a handler of this event
   */
  on<E extends StoredEventName>(event: E, handler: StoredHandler<E>, options: DurableOptions): () => void;
  /**
   * Removes rows that expired more than a day ago, stored messages that were given up a month ago, and audit records beyond
   * `audit_retention_days`. Returns how many of each kind.
   * @throws {GatehouseError} unavailable, when the database does not respond or accepts no writes
   * @example setInterval(() => void gatehouse.purgeExpired().catch(report), 3_600_000).unref();
   */
  purgeExpired(): Promise<Purged>;
  /**
   * Graceful shutdown: finishes background work, delivers waiting emails and text messages (for at most five seconds),
   * and closes the database. With `mail_store = "database"` what is not delivered stays for other processes.
   * @example process.once('SIGTERM', () => server.close(() => gatehouse.close()));
   */
  close(): Promise<void>;
}

/** An instance, with what only the command line may do. */
export interface Assembled extends Gatehouse {
  /** The parts of its services. */
  readonly dependencies: Dependencies;
  /** The operations that the doors offer, for what is generated from them. */
  readonly operations: readonly Operation[];
  /** The features that are switched on, for their commands. */
  readonly features: OpenFeatures;
  readonly operator: Operator;
  /**
   * Waits until every email was sent, for a command that reports whether its email was sent. Accepts no emails
   * afterwards.
   */
  deliver(): Promise<Drained>;
  /**
   * Checks the files of the host that the configuration names.
   * @throws {ConfigError} when a template cannot be rendered, a template directory cannot be read, or a trusted document
   * does not fit the schema
   */
  assertFiles(): Promise<void>;
  /** The part of it about trusted documents. @throws {ConfigError} */
  assertDocuments(): Promise<void>;
}
