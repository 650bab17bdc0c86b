import type { RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { type Clock, systemClock } from './clock.ts';
import { parseDatabaseUrl } from './config/database-url.ts';
import { type ConfigSources, loadConfig } from './config/load.ts';
import type { Config, ConfigInput } from './config/schema.ts';
import { type HashCost, openArgon2id } from './crypto/argon2.ts';
import { createCodes } from './crypto/codes.ts';
import { PasswordHasher } from './crypto/password-hash.ts';
import { Tokens } from './crypto/tokens.ts';
import { GatehouseError } from './errors.ts';
import { EventHub, type EventName, type Handler } from './events.ts';
import { createGraphQLDoor } from './graphql/door.ts';
import { lazily } from './lazily.ts';
import { createLockout } from './limits/lockout.ts';
import { createMailCap } from './limits/mail-cap.ts';
import { openRateLimits } from './limits/open.ts';
import type { Limiter } from './limits/rate-limit.ts';
import { createSlidingCounts } from './limits/sliding-count.ts';
import { createSmsCap } from './limits/sms-cap.ts';
import { consoleLogger, guarded, type Logger } from './logger.ts';
import { type Mailer, mailQueue } from './mail/mailer.ts';
import { createMessages } from './mail/messages.ts';
import { openMailer } from './mail/open.ts';
import { createOutbox } from './mail/outbox.ts';
import { createMailTemplates } from './mail/templates.ts';
import { googleOptions, googleProvider } from './oauth/google.ts';
import type { Counts, Metrics } from './observability/metrics.ts';
import { openObservability } from './observability/open.ts';
import { readStatus, type Status } from './observability/status.ts';
import { createPages } from './pages/router.ts';
import { type Auth, createMiddleware } from './rest/middleware.ts';
import { createOpenApi } from './rest/openapi.ts';
import { createRouter } from './rest/router.ts';
import { absentPaths, routesOf } from './rest/routes.ts';
import { createAuthentication } from './services/authentication.ts';
import { Background } from './services/background.ts';
import type { Dependencies } from './services/dependencies.ts';
import { createServices } from './services/index.ts';
import { createIssuing } from './services/issuing.ts';
import { type Purged, purgeExpired } from './services/maintenance.ts';
import { createNotices } from './services/notices.ts';
import { createDefine } from './services/operation.ts';
import { createOperator, type Operator } from './services/operator.ts';
import { createReauthentication } from './services/reauthentication.ts';
import { createRemoval } from './services/removal.ts';
import { createSuperusers } from './services/superusers.ts';
import { createVerification } from './services/verification.ts';
import { toUserPublic } from './services/views.ts';
import { openSmsSender } from './sms/open.ts';
import { type SmsSender, smsQueue } from './sms/sender.ts';
import { openStorage, type Storage, storageOptionsOf } from './storage/open.ts';
import type { Repositories } from './storage/repositories/index.ts';
import { packageVersion } from './version.ts';

/** What a host may put in place of Gatehouse's own parts. */
export interface Parts {
  clock?: Clock;
  mailer?: Mailer;
  smsSender?: SmsSender;
  limiter?: Limiter;
  logger?: Logger;
}

/** Configuration fields in camelCase, parts of the host's own, and files to read where the usual ones are not there. */
export type GatehouseOptions = ConfigInput & Parts & Pick<ConfigSources, 'configFile' | 'secretsFile'>;

/** One instance. It shares nothing with another in the same process. */
export interface Gatehouse {
  readonly config: Config;
  /**
   * REST and GraphQL, to be mounted at `config.apiPrefix`.
   * @throws {RuntimeError} when a `*_rate_limit` is set and nothing is there that could keep it
   */
  readonly router: Router;
  /** The pages, to be mounted at `config.uiPrefix`; empty while they are off. */
  readonly uiRouter: Router;
  /** Their style sheets and scripts, to be mounted at `config.staticPrefix`; empty while the pages are off. */
  readonly staticFiles: Router;
  /** Tells a browser that there is no such page, with 404; other clients go on. For a host with no pages of its own there. */
  readonly notFoundPage: RequestHandler;
  /** The GraphQL schema of this configuration, made when it is first asked for. */
  graphqlSchema(): Promise<GraphQLSchema>;
  readonly repositories: Omit<Repositories, 'rate_limits'>;
  /** Brings the database to the schema of this version; safe on every start and from several processes at once. */
  installSchema(): Promise<void>;
  /** How the schema that is there compares with the one this version needs. */
  schemaState: Storage['schemaState'];
  /** @throws {GatehouseError} unavailable, when the database does not answer. */
  ping(): Promise<void>;
  /** How every part is, for operators: it says more than strangers should know. */
  status(): Promise<Status>;
  /** What Prometheus reads, while `enable_metrics` is on. */
  readonly metrics: Pick<Metrics, 'contentType' | 'text'> | null;
  /** Middleware that lets only a valid session through and puts it into `req.auth`. */
  requireSession(): RequestHandler;
  /** As `requireSession`, and the user must be a superuser. */
  requireSuperuser(): RequestHandler;
  /** Middleware that lets everybody through; `req.auth` is null for anyone without a valid session. */
  optionalSession(): RequestHandler;
  /** The session of a token, for sockets and other frameworks, or null. @throws {GatehouseError} unavailable */
  authenticate(token: string): Promise<Auth | null>;
  /** Calls the handler at every such event, until the returned function is called. */
  on<E extends EventName>(event: E, handler: Handler<E>): () => void;
  /** Removes rows that ended more than a day ago and answers how many of each kind. */
  purgeExpired(): Promise<Purged>;
  /** Finishes what was begun, delivers the mails that wait (five seconds at most), and lets go of the database. */
  close(): Promise<void>;
}

/**
 * Loads the configuration and puts an instance together; connects to nothing yet.
 * @throws {ConfigError} with everything that is wrong with the configuration.
 */
export async function createGatehouse(options: GatehouseOptions = {}): Promise<Gatehouse> {
  const { clock, mailer, smsSender, limiter, logger = consoleLogger, ...configured } = options;
  const { configFile, secretsFile, ...settings } = configured;
  const { config, warnings } = loadConfig({ arguments: settings, configFile, secretsFile });
  for (const warning of warnings) guarded(logger).warn({}, warning);
  return assemble(config, { clock, mailer, smsSender, limiter, logger });
}

interface AssembleParts extends Parts {
  logger: Logger;
  /** Where the console mailer writes its plain lines, when not to the logger. */
  write?: (text: string) => void;
  /** Cheaper hashes, for tests alone; no host and no configuration reaches this. */
  hashCost?: HashCost;
  /** How many processes like this one share the machine: so much less hashes each at once. */
  processes?: number;
  graphqlIde?: boolean;
  graphqlIntrospection?: boolean;
}

/** How long `close` waits for mails that are still on their way, in milliseconds. */
const drainMs = 5000;

/** An instance, and what only the command line may do with it. */
export interface Assembled extends Gatehouse {
  readonly operator: Operator;
  /** As `installSchema`, and answers how many steps were taken. */
  migrate(): Promise<number>;
}

/** The composition root: the one place where things are constructed, from the database outwards to the doors. */
export async function assemble(config: Config, parts: AssembleParts): Promise<Assembled> {
  const { clock = systemClock, write } = parts;
  const logger = guarded(parts.logger);

  const events = new EventHub(logger);
  const counts = (): Counts => ({
    ...{ hashing: hasher.load, lockouts: lockout.refusals },
    ...{ mail: queue.state, text: texts.state },
  });
  const { metrics, watch } = await openObservability({
    ...{ clock, logger, counts },
    ...{ secret: config.jwtSecret.reveal(), version: packageVersion(), enableMetrics: config.enableMetrics },
    emit: record => events.emit('audit', record),
  });

  const database = parseDatabaseUrl(config.databaseUrl.reveal(), config.mongodbDatabase);
  const storage = await openStorage(database, { ...storageOptionsOf(config), onCall: metrics?.database });
  const { repositories } = storage;
  const { rate_limits: _, ...records } = repositories;

  const tokens = new Tokens({
    secret: config.jwtSecret.reveal(),
    previousSecret: config.jwtSecretPrevious?.reveal(),
    algorithm: config.jwtAlgorithm,
    audience: config.jwtAudience,
    clock,
  });
  const hasher = new PasswordHasher(parts.hashCost, await openArgon2id(), parts.processes);
  const background = new Background(logger);
  const mailer = parts.mailer ?? (await openMailer(config.email, logger, write));
  const queue = mailQueue(mailer, logger);
  const smsSender = parts.smsSender ?? (await openSmsSender(config.sms, logger, write));
  const texts = smsQueue(smsSender, logger);
  const messages = createMessages({ templates: createMailTemplates(config), config });
  const outbox = createOutbox({ messages, queue, logger });

  const authentication = createAuthentication({ tokens, repositories });
  const rateLimits = await openRateLimits(config, storage.counters, parts.limiter);
  const sliding = createSlidingCounts(repositories, clock);
  const lockout = createLockout(sliding, config);
  const mailCap = createMailCap(sliding, config);
  const smsCap = createSmsCap(sliding, config);
  const codes = createCodes({
    secret: config.jwtSecret.reveal(),
    previousSecret: config.jwtSecretPrevious?.reveal(),
    length: config.smsCodeLength,
  });
  const superusers = createSuperusers(repositories);
  const dependencies: Dependencies = {
    ...{ config, clock, repositories, tokens, hasher, outbox, events, background, logger },
    ...{ lockout, mailCap, smsCap, codes, texts, superusers },
    watch,
    define: createDefine(authentication, rateLimits.limits, watch),
    notices: createNotices({ outbox, mailCap, background }),
    issuing: createIssuing({ config, clock, repositories, tokens }),
    reauthentication: createReauthentication({ hasher, lockout }),
    removal: createRemoval({ repositories, superusers, events }),
    verification: createVerification({ config, clock, repositories, outbox, events, mailCap }),
  };
  const google = config.enableOauth ? googleOptions(config) : null;
  const providers = google ? [await googleProvider(google)] : [];
  const services = createServices(dependencies, providers);

  const graphqlSchema = lazily(async () => {
    const { createGraphQLSchema } = await import('./graphql/schema.ts');
    return createGraphQLSchema(services, authentication);
  });
  const graphql = config.enableGraphql
    ? createGraphQLDoor({
        schema: graphqlSchema,
        endpoint: `${config.apiPrefix}/graphql`,
        ide: parts.graphqlIde ?? config.graphqlIde,
        introspection: parts.graphqlIntrospection ?? config.graphqlIntrospection,
        logger,
      })
    : undefined;
  const routes = routesOf(services);
  const router = createRouter({
    routes,
    openApi: createOpenApi({
      routes,
      title: config.appName,
      url: `${config.baseUrl}${config.apiPrefix}`,
      version: packageVersion(),
    }),
    absent: absentPaths(services),
    corsOrigins: config.corsOrigins,
    logger,
    graphql,
  });
  const pages = createPages({
    config,
    features: await services.features.features({ ip: null }),
    providers: providers.map(provider => provider.name),
    logger,
  });
  await hasher.warmUp();

  return {
    config,
    ...pages,
    get router() {
      rateLimits.limits.assertUsable();
      return router;
    },
    graphqlSchema,
    repositories: records,
    operator: createOperator(dependencies),
    installSchema: async () => void (await storage.install()),
    migrate: storage.install,
    schemaState: storage.schemaState,
    ping: storage.ping,
    status: () => readStatus({ ...storage, pingLimits: rateLimits.ping, counts }),
    metrics,
    ...createMiddleware(authentication, logger),
    async authenticate(token) {
      try {
        const { user, claims } = await authentication.authenticate(token);
        return { user: toUserPublic(user), claims };
      } catch (error) {
        if (error instanceof GatehouseError && error.kind === 'unauthenticated') return null;
        throw error;
      }
    },
    on: (event, handler) => events.on(event, handler),
    purgeExpired: () => purgeExpired({ clock, config, repositories }),
    async close() {
      await background.settle();
      const [mails, messages] = await Promise.all([outbox.drain(drainMs), texts.drain(drainMs)]);
      const undelivered = mails.undelivered + messages.undelivered;
      if (undelivered > 0) logger.warn({ undelivered }, 'messages were not delivered before the end');
      await mailer.close?.();
      metrics?.close();
      await rateLimits.close();
      await storage.close();
    },
  };
}
