import type { GraphQLSchema } from 'graphql';
import { openDoors } from './composition/doors.ts';
import { type OpenFeatures, openFeatures } from './composition/features.ts';
import { type Foundation, openFoundation } from './composition/foundation.ts';
import type { OpenFeature } from './composition/open-feature.ts';
import type { AssembleParts, Parts } from './composition/parts.ts';
import { createRules, type Rules } from './composition/rules.ts';
import { type ConfigSources, loadConfig } from './config/load.ts';
import type { Config, ConfigInput } from './config/schema.ts';
import type { Dependencies } from './domain/dependencies.ts';
import { problemsOfHooks } from './domain/hooks.ts';
import { createHourCounts } from './domain/hour-counts.ts';
import { type Purged, purgeExpired } from './domain/maintenance.ts';
import type { Operation } from './domain/operation.ts';
import { createDefineAct } from './domain/operator-act.ts';
import { createSigningIn } from './domain/signing.ts';
import { type EventName, type StoredEventName, storedEventNames } from './event-names.ts';
import {
  assertEvent,
  type EventDelivery,
  type EventHub,
  eventInNode,
  type Handler,
  type StoredHandler,
} from './events.ts';
import { type FetchHandler, toFetchHandler } from './http/fetch.ts';
import type { Auth, Guard } from './http/guard.ts';
import { createGuards, type Protected } from './http/guards.ts';
import type { HttpHandler } from './http/message.ts';
import { type NodeHandler, toNodeHandler } from './http/node.ts';
import { clientAddress, trustOf } from './http/proxies.ts';
import type { Protection, SessionRequirements } from './http/requirements.ts';
import type { ResourceServer } from './http/resource-server.ts';
import { createSite } from './http/site.ts';
import { rememberFor } from './lazily.ts';
import { consoleLogger, guarded } from './logger.ts';
import { sampleMails } from './mail/samples.ts';
import { openProviders } from './oauth/open.ts';
import type { Metrics } from './observability/metrics.ts';
import { type Readiness, readReadiness } from './observability/readiness.ts';
import { readStatus, type Status } from './observability/status.ts';
import type { Sessions } from './server-api/sessions.ts';
import type { Users } from './server-api/users.ts';
import { createServices, operationsOf } from './services/index.ts';
import { createOperator, type Operator } from './services/operator.ts';
import type { Storage } from './storage/open.ts';
import type { Repositories } from './storage/repositories/index.ts';
import { assertTemplates } from './templates.ts';

export type { Parts };

/**
 * Configuration fields in camelCase, parts that the host supplies, and configuration files that are read when the usual
 * ones are missing.
 */
export type GatehouseOptions = ConfigInput & Parts & Pick<ConfigSources, 'configFile' | 'secretsFile'>;

/** How a handler gets its events. */
export interface DurableOptions {
  /** The name under which they are stored: the same in every version and every process. */
  durable: string;
}

/** One instance. It shares no state with another instance in the same process. */
export interface Gatehouse {
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
   * on. To be mounted at `/.well-known`; it leaves every other path to the host. Without the bundled pages both lead to
   * `urls.account`.
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
   * Returns the GraphQL schema of this configuration, built on the first call.
   * @example const schema = stitchSchemas({ subschemas: [await gatehouse.graphqlSchema(), own] });
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
  /** The stored records, read and written past the operations: without access checks, limits, audit and events. */
  readonly repositories: Omit<Repositories, 'rate_limits' | 'rows'>;
  /**
   * Migrates the database to the schema of this version. Safe at every start, and from several processes at once.
   * @example await gatehouse.installSchema();
   */
  installSchema(): Promise<void>;
  /**
   * Returns how the installed schema compares with the one that this version needs.
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
  /** Metrics in the format of Prometheus; null unless `enable_metrics` is on. */
  readonly metrics: Pick<Metrics, 'contentType' | 'text'> | null;
  /**
   * Returns middleware that rejects requests without a valid session and puts the session into `req.auth`.
   * @throws {TypeError} for an unknown requirement
   * @example app.get('/orders', gatehouse.requireSession(), (req, res) => res.json(req.auth.user.fullName));
   */
  requireSession(requirements?: SessionRequirements): Guard<Auth>;
  /**
   * As `requireSession`; the user must also be a superuser.
   * @example app.get('/backstage', gatehouse.requireSuperuser(), (req, res) => res.json(req.auth.user.email));
   */
  requireSuperuser(requirements?: SessionRequirements): Guard<Auth>;
  /**
   * As `requireSession`; the user must also have this role, which is read at each request.
   * @throws {TypeError} when the configuration names no such role
   * @example app.get('/drafts', gatehouse.requireRole('editor'), (req, res) => res.json([]));
   */
  requireRole(role: string, requirements?: SessionRequirements): Guard<Auth>;
  /**
   * Returns middleware that rejects no request; `req.auth` is null without a valid session.
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
   * @example const auth = await gatehouse.sessionOf(request);
   */
  sessionOf(request: Request, requirements?: Pick<SessionRequirements, 'browser'>): Promise<Auth | null>;
  /**
   * As `requireSession` and `requireSuperuser`, for a request of the Fetch standard: returns who sent it, or the response
   * that refuses it, which the host returns as it is.
   * @example
   * const { auth, response } = await gatehouse.protect(request, { role: 'editor' });
   * if (response) return response;
   */
  protect(request: Request, requirements?: Protection): Promise<Protected>;
  /**
   * Returns the guards of an API of `[resources]` that runs in this process: each token is checked by its signature and one
   * read, so that one that was ended is refused at once.
   * @throws {TypeError} with `enable_tokens` off, and for an unknown name
   * @example
   * const orders = gatehouse.resource('orders');
   * app.get('/orders', orders.requireToken({ scopes: ['orders:read'] }), (req, res) => res.json(req.auth.userId));
   */
  resource(name: string): ResourceServer;
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

/**
 * Returns the configuration and the parts of a host's options.
 * @throws {ConfigError} with every problem of both
 */
export function readOptions(
  options: GatehouseOptions,
  place: Pick<ConfigSources, 'env' | 'cwd' | 'standIns'> = {},
) {
  const { clock, mailer, smsSender, limiter, hooks, logger, ...configured } = options;
  const { configFile, secretsFile, ...settings } = configured;
  const problems = problemsOfHooks(hooks);
  const loaded = loadConfig({ arguments: settings, configFile, secretsFile, problems, ...place });
  return { ...loaded, parts: { clock, mailer, smsSender, limiter, hooks, logger } };
}

/**
 * Loads the configuration and assembles an instance; connects to nothing yet.
 * @throws {ConfigError} with every problem of the configuration
 * @example
 * const gatehouse = await createGatehouse({ appName: 'Acme' });
 * await gatehouse.installSchema();
 * app.use(gatehouse.config.apiPrefix, gatehouse.router);
 */
export async function createGatehouse(options: GatehouseOptions = {}): Promise<Gatehouse> {
  const { config, warnings, parts } = readOptions(options);
  const { logger = consoleLogger } = parts;
  for (const warning of warnings) guarded(logger).warn({}, warning);
  return startForHost(config, { ...parts, logger });
}

/**
 * Assembles an instance for a host, whose own templates and trusted documents must be in order.
 * @throws {ConfigError} when they are not
 */
export async function startForHost(config: Config, parts: AssembleParts): Promise<Assembled> {
  const gatehouse = await assemble(config, parts);
  await gatehouse.assertFiles().catch(async error => {
    await gatehouse.close();
    throw error;
  });
  return gatehouse;
}

/** How long `close` waits for messages that are still being delivered, in milliseconds. */
const drainMs = 5000;
/** How long a command waits for the email that it sends, in milliseconds: a little longer than one try may take. */
const deliveryMs = 35_000;

/** How long a readiness check reuses the last comparison of the tables, in milliseconds. */
const differencesForMs = 10_000;

/** An instance, with what only the command line may do. */
export interface Assembled extends Gatehouse {
  /** What its services are made of. */
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
  deliver(): Promise<{ undelivered: number }>;
  /**
   * Checks the files of the host that the configuration names.
   * @throws {ConfigError} when a template cannot be rendered, a template directory cannot be read, or a trusted document
   * does not fit the schema
   */
  assertFiles(): Promise<void>;
  /** The part of it about trusted documents. @throws {ConfigError} */
  assertDocuments(): Promise<void>;
}

/** The composition root: the one place where parts are constructed, from the database outwards to the interfaces. */
export async function assemble(config: Config, parts: AssembleParts): Promise<Assembled> {
  const foundation = await openFoundation(config, parts);
  const { deferred, ...rules } = createRules(config, foundation, parts);
  const providers = await openProviders(config);
  const signing = createSigningIn(config, rules.dependencies, foundation);
  const meter = foundation.metrics?.meter;
  const features = await openFeatures(config, {
    ...foundation,
    ...rules.dependencies,
    ...{ signing, meter, schedule: parts.schedule },
    databaseNow: foundation.storage.now,
    defineAct: createDefineAct(foundation.watch),
  });
  const opened: readonly OpenFeature[] = Object.values(features);
  const hourCounts = config.enableAdminRouter
    ? createHourCounts({ ...foundation, repositories: foundation.storage.repositories })
    : undefined;
  rules.dependencies.lifeCycle.use([...opened, ...(hourCounts ? [hourCounts.hooks] : [])]);
  foundation.audit.storeWith(opened.find(({ storeRecord }) => storeRecord)?.storeRecord);
  const proofs = opened.flatMap(({ factor }) => factor ?? []);
  const services = createServices(rules.dependencies, {
    ...foundation,
    ...{ providers, deferred, signing, proofs, hourCounts },
    switchedOff: opened.flatMap(feature => feature.switchedOff ?? []),
    introspects: opened.flatMap(({ introspect }) => introspect ?? []),
  });
  const operations = operationsOf(services, opened);
  const doors = openDoors(config, {
    ...parts,
    services,
    operations,
    setCookie: browserOf(opened)?.setCookie,
    wellKnownPaths: opened.flatMap(({ wellKnown }) => wellKnown ?? []),
    issuerDocuments: opened.flatMap(({ issuerDocuments }) => issuerDocuments ?? []),
    only: opened.find(({ documents }) => documents)?.documents,
    logger: foundation.logger,
  });
  // Makes the hash that logins of unknown accounts are compared with, so that the first of them takes as long as any other.
  await foundation.hasher.warmUp();
  return instanceOf(config, { ...rules, foundation, features, operations, doors });
}

/** Returns the session that a browser keeps, as one of the features has it. */
const browserOf = (features: readonly OpenFeature[]) => features.find(({ browser }) => browser)?.browser;

interface InstanceParts extends Omit<Rules, 'deferred'> {
  foundation: Foundation;
  features: OpenFeatures;
  operations: readonly Operation[];
  doors: ReturnType<typeof openDoors>;
}

/** The last step: what a host and the command line see of all that. */
function instanceOf(
  config: Config,
  { foundation, authentication, sessionRules, dependencies, features, operations, doors }: InstanceParts,
): Assembled {
  const { clock, logger, background, storage, rateLimits, metrics, counts } = foundation;
  const { mailer, outbox, texts, messages } = foundation;
  const { repositories } = storage;
  const { rate_limits: _, rows: __, ...records } = repositories;
  const { pages } = doors;
  const opened: readonly OpenFeature[] = Object.values(features);
  const isTrusted = trustOf(config.trustedProxies);
  const clientOf = clientAddress(isTrusted);
  const onNode = (handler: HttpHandler) => toNodeHandler(handler, { clientOf, logger });
  const guards = createGuards({
    authentication,
    sessionRules,
    browserSessions: browserOf(opened)?.sessions ?? null,
    clientOf,
    isTrusted,
    logger,
    toNodeUser: dependencies.views.toNodeUser,
    roles: config.roles,
  });
  const usable = <T>(handler: T): T => {
    rateLimits.limits.assertUsable();
    return handler;
  };
  const site = createSite(doors.mounted);
  const mounts = {
    router: onNode(doors.api),
    handler: onNode(site),
    fetch: toFetchHandler(site, { isTrusted, logger }),
  };
  const findDifferences = rememberFor(differencesForMs, storage.findDifferences);
  const readiness = () => readReadiness({ ...storage, findDifferences, prepare });
  const ofFeatures = () => Object.assign({}, ...opened.map(({ status }) => status?.()));
  let isPrepared = false;
  async function prepare(): Promise<void> {
    if (isPrepared) return;
    for (const feature of opened) await feature.prepare?.();
    isPrepared = true;
  }
  const purge = () => purgeExpired({ clock, config, repositories, databaseNow: storage.now });

  return {
    config,
    get router() {
      return usable(mounts.router);
    },
    get handler() {
      return usable(mounts.handler);
    },
    get fetch() {
      return usable(mounts.fetch);
    },
    uiRouter: onNode(pages.ui),
    staticFiles: onNode(pages.staticFiles),
    wellKnown: onNode(doors.wellKnown),
    notFoundPage: onNode(pages.notFound),
    graphqlSchema: doors.graphqlSchema,
    graphqlSdl: doors.graphqlSdl,
    ...doors.serverApi,
    repositories: records,
    dependencies,
    features,
    operations,
    operator: createOperator(dependencies, { ...foundation, purge, install: storage.install }),
    async installSchema() {
      await storage.install();
      await prepare();
    },
    async deliver() {
      await background.drain();
      return outbox.drain(deliveryMs);
    },
    assertDocuments: doors.assertDocuments,
    async assertFiles() {
      await assertTemplates(config.extraTemplateDirs, {
        mail: () => sampleMails(messages).map(({ write }) => write),
        pages: pages.renderings,
      });
      await doors.assertDocuments();
    },
    schemaState: storage.readSchemaState,
    ping: storage.ping,
    readiness,
    status: () => readStatus({ readiness, pingLimits: rateLimits.store?.ping, counts, ofFeatures }),
    metrics,
    ...guards,
    resource(name) {
      const [find] = opened.flatMap(({ resource }) => resource ?? []);
      if (!find) throw new TypeError('gatehouse.resource needs enable_tokens = true.');
      return find(name, { clientOf, isTrusted });
    },
    on: listenTo(foundation.events, opened),
    purgeExpired: purge,
    async close() {
      await background.drain();
      const [mails, textMessages] = await Promise.all([outbox.drain(drainMs), texts.drain(drainMs)]);
      const undelivered = mails.undelivered + textMessages.undelivered;
      if (undelivered > 0) logger.warn({ undelivered }, 'messages were not delivered before shutdown');
      await mailer.close?.();
      metrics?.close();
      await rateLimits.close();
      await storage.close();
    },
  };
}

/** Returns `Gatehouse.on`. */
function listenTo(events: EventHub, features: readonly OpenFeature[]): Gatehouse['on'] {
  const [onStored] = features.flatMap(feature => feature.onStored ?? []);
  return (event: EventName, handler: StoredHandler<never>, options?: DurableOptions) => {
    if (options?.durable === undefined) return events.on(event, handler as Handler<EventName>);
    assertEvent(event, storedEventNames);
    if (!onStored) {
      throw new TypeError('A durable handler needs mail_store = "database", where its events wait for it.');
    }
    // The stored form is that of the wire, whichever version stored it.
    const run = (stored: never, delivery: EventDelivery) =>
      handler(eventInNode(event, stored) as never, delivery);
    return onStored(event, options.durable, run);
  };
}
