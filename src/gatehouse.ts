import { openDoors } from './composition/doors.ts';
import { openFeatures } from './composition/features.ts';
import { type Foundation, openFoundation, orClose } from './composition/foundation.ts';
import type { Assembled, Gatehouse } from './composition/gatehouse.ts';
import { browserOf, instanceOf } from './composition/instance.ts';
import type { OpenFeature } from './composition/open-feature.ts';
import type { AssembleParts, Parts } from './composition/parts.ts';
import { createRules } from './composition/rules.ts';
import { type ConfigSources, loadConfig } from './config/load.ts';
import type { Config, ConfigInput } from './config/schema.ts';
import { problemsOfHooks } from './domain/hooks.ts';
import { createHourCounts } from './domain/hour-counts.ts';
import { createDefineAct } from './domain/operator-act.ts';
import { createSigningIn } from './domain/signing.ts';
import { consoleLogger, guarded } from './logger.ts';
import { openProviders } from './oauth/open.ts';
import { createServices, operationsOf } from './services/index.ts';

export type { Assembled, Gatehouse, Parts };

/**
 * Configuration fields in camelCase, parts that the host supplies, and configuration files that are read when the usual
 * ones are missing.
 */
export type GatehouseOptions = ConfigInput & Parts & Pick<ConfigSources, 'configFile' | 'secretsFile'>;

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
  await orClose(gatehouse.assertFiles(), gatehouse.close);
  return gatehouse;
}

/** The composition root: the one place where parts are constructed, from the database outwards to the interfaces. */
export async function assemble(config: Config, parts: AssembleParts): Promise<Assembled> {
  const foundation = await openFoundation(config, parts);
  return orClose(assembleOver(foundation, config, parts), foundation.close);
}

/** Assembles an instance over a foundation, which the caller closes when it fails. */
async function assembleOver(
  foundation: Foundation,
  config: Config,
  parts: AssembleParts,
): Promise<Assembled> {
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
    ...{ providers, deferred, signing, proofs, hourCounts, meter },
    switchedOff: opened.flatMap(feature => feature.switchedOff ?? []),
    introspects: opened.flatMap(({ introspect }) => introspect ?? []),
  });
  const operations = operationsOf(services, opened);
  const doors = openDoors(config, {
    ...parts,
    services,
    languages: foundation.languages,
    operations,
    setCookie: browserOf(opened)?.setCookie,
    hasKeys: opened.some(({ keys }) => keys !== undefined),
    wellKnownPaths: opened.flatMap(({ wellKnown }) => wellKnown ?? []),
    answers: Object.assign({}, ...opened.map(({ answers }) => answers)),
    issuerDocuments: opened.flatMap(({ issuerDocuments }) => issuerDocuments ?? []),
    only: opened.find(({ documents }) => documents)?.documents,
    schemaExtensions: opened.flatMap(({ extendSchema }) => extendSchema ?? []),
    logger: foundation.logger,
  });
  // Makes the hash that logins of unknown accounts are compared with, so that the first of them takes as long as any other.
  await foundation.hasher.warmUp();
  const hasMailer = parts.mailer !== undefined;
  return instanceOf(config, { ...rules, foundation, features, operations, doors, hasMailer });
}
