import type { Config } from '../config/schema.ts';
import { type Purged, purgeExpired } from '../domain/maintenance.ts';
import type { Operation } from '../domain/operation.ts';
import { type EventName, storedEventNames } from '../event-names.ts';
import {
  assertEvent,
  type EventDelivery,
  type EventHub,
  eventInNode,
  type Handler,
  type StoredHandler,
} from '../events.ts';
import { toFetchHandler } from '../http/fetch.ts';
import { createGuards } from '../http/guards.ts';
import type { HttpHandler } from '../http/message.ts';
import { toNodeHandler } from '../http/node.ts';
import { clientAddress, trustOf } from '../http/proxies.ts';
import { createSite } from '../http/site.ts';
import { rememberFor } from '../lazily.ts';
import type { Logger } from '../logger.ts';
import { sampleMails } from '../mail/samples.ts';
import { readReadiness } from '../observability/readiness.ts';
import { readStatus } from '../observability/status.ts';
import { createOperator } from '../services/operator.ts';
import { assertTemplates } from '../templates.ts';
import type { openDoors } from './doors.ts';
import type { OpenFeatures } from './features.ts';
import { membersOf } from './features.ts';
import type { Foundation } from './foundation.ts';
import type { Assembled, DurableOptions, Gatehouse } from './gatehouse.ts';
import type { OpenFeature } from './open-feature.ts';
import type { Rules } from './rules.ts';

/** Returns the session that a browser keeps, as one of the features has it. */
export const browserOf = (features: readonly OpenFeature[]) =>
  features.find(({ browser }) => browser)?.browser;

/** How long a command waits for the email that it sends, in milliseconds: a little longer than one try may take. */
const deliveryMs = 35_000;

/** How long a readiness check reuses the last comparison of the tables, in milliseconds. */
const differencesForMs = 10_000;

interface InstanceParts extends Omit<Rules, 'deferred'> {
  foundation: Foundation;
  features: OpenFeatures;
  operations: readonly Operation[];
  /** Whether the host gives the mailer. */
  hasMailer: boolean;
  doors: ReturnType<typeof openDoors>;
}

/** The last step: what a host and the command line see of all that. */
export function instanceOf(
  config: Config,
  {
    foundation,
    authentication,
    sessionRules,
    dependencies,
    features,
    operations,
    doors,
    hasMailer,
  }: InstanceParts,
): Assembled {
  const { clock, languages, logger, background, storage, rateLimits, metrics, counts } = foundation;
  const { outbox, messages, isServer } = foundation;
  const { repositories } = storage;
  const { rate_limits: _, rows: __, ...records } = repositories;
  const { pages } = doors;
  const opened: readonly OpenFeature[] = Object.values(features);
  const isTrusted = trustOf(config.trustedProxies);
  const clientOf = clientAddress(isTrusted);
  const onNode = (handler: HttpHandler) => toNodeHandler(handler, { clientOf, languages, logger });
  const guards = createGuards({
    authentication,
    sessionRules,
    browserSessions: browserOf(opened)?.sessions ?? null,
    clientOf,
    isTrusted,
    languages,
    logger,
    toNodeUser: dependencies.views.toNodeUser,
    roles: config.roles,
    scopesOf: new Map(
      Object.entries(config.resources).map(([name, { scopes }]) => [name, Object.keys(scopes)]),
    ),
    keys: dependencies.lifeCycle.keys,
    verifierOf: opened.find(({ verifierOf }) => verifierOf)?.verifierOf,
  });
  const usable = <T>(handler: T): T => {
    rateLimits.limits.assertUsable();
    return handler;
  };
  const site = createSite(doors.mounted);
  const mounts = {
    router: onNode(doors.api),
    handler: onNode(site),
    fetch: toFetchHandler(site, { isTrusted, languages, logger }),
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
  async function purge(): Promise<Purged> {
    const purged = await purgeExpired({ clock, config, repositories, databaseNow: storage.now });
    for (const { upkeep } of opened) await upkeep?.();
    return purged;
  }
  const upkeep = isServer ? startUpkeep(opened, logger) : undefined;

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
    async assurance() {
      const { judge } = await import('../assurance/judge.ts');
      return judge(config, hasMailer ? ['mailer'] : []);
    },
    metrics,
    ...guards,
    ...membersOf(opened, { clientOf, isTrusted, languages }),
    on: listenTo(foundation.events, opened),
    purgeExpired: purge,
    async close() {
      clearInterval(upkeep);
      await foundation.close();
    },
  };
}

const hourMs = 3_600_000;

/** Has features do every hour what is due, without keeping the process running. */
function startUpkeep(features: readonly OpenFeature[], logger: Logger): NodeJS.Timeout | undefined {
  const works = features.flatMap(({ upkeep }) => upkeep ?? []);
  if (works.length === 0) return undefined;
  const run = () => {
    for (const work of works)
      work().catch(err => logger.warn({ err }, 'what is due every hour could not be done'));
  };
  return setInterval(run, hourMs).unref();
}

/** Returns `Gatehouse.on`. */
function listenTo(events: EventHub, features: readonly OpenFeature[]): Gatehouse['on'] {
  const [onStored] = features.flatMap(feature => feature.onStored ?? []);
  return (event: EventName, handler: StoredHandler<never>, options?: DurableOptions) => {
    for (const name of Object.keys(options ?? {}))
      if (name !== 'durable') throw new TypeError(`gatehouse.on: there is no option ${name}.`);
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
