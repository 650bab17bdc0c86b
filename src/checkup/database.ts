import { type DatabaseUrl, parseDatabaseUrl } from '../config/database-url.ts';
import type { Config } from '../config/schema.ts';
import { openRateLimits } from '../limits/open.ts';
import { hasCounter } from '../limits/package.ts';
import { createRateLimits, type RouteLimit } from '../limits/rate-limit.ts';
import { openStorage, type Storage, storageOptionsOf } from '../storage/open.ts';
import { type Finding, reasonOf } from './finding.ts';

/** The database, its schema, and the counts of requests, which may be kept in it. */
export async function checkDatabase(config: Config): Promise<{ name: string; finding: Finding }[]> {
  const url = parseDatabaseUrl(config.databaseUrl.reveal(), config.mongodbDatabase);
  let storage: Storage;
  try {
    storage = await openStorage(url, storageOptionsOf(config));
  } catch (error) {
    return [{ name: 'database', finding: ['fail', reasonOf(error)] }];
  }
  try {
    const database = await reach(storage, url);
    const checks = [{ name: 'database', finding: database }];
    if (database[0] === 'fail') return checks;
    const schema = await compareSchema(storage);
    checks.push({ name: 'schema', finding: schema });
    if (schema[0] === 'ok') checks.push({ name: 'limits', finding: await countOnce(config, storage) });
    return checks;
  } finally {
    await storage.close();
  }
}

async function reach(storage: Storage, url: DatabaseUrl): Promise<Finding> {
  try {
    await storage.ping();
    return ['ok', `${described(url)} answers`];
  } catch (error) {
    const reason = reasonOf(error);
    const isNamed = /\b(PostgreSQL|MongoDB|SQLite)\b/.test(reason);
    return ['fail', isNamed ? reason : `${described(url)} does not answer: ${reason}`];
  }
}

async function compareSchema(storage: Storage): Promise<Finding> {
  try {
    const state = await storage.schemaState();
    if (state === 'current') return ['ok', 'is the one of this version'];
    if (state === 'ahead') return ['fail', 'was migrated by a newer version: run that one'];
    return ['fail', 'is not the one of this version: run svc migrate'];
  } catch (error) {
    return ['fail', reasonOf(error)];
  }
}

/** A documentation address (RFC 5737 §3), so that the count of no client is touched. */
const nobodysAddress = '192.0.2.1';

async function countOnce(config: Config, storage: Storage): Promise<Finding> {
  const routes = createRateLimits(config, null).configured;
  const [route] = routes;
  if (route === undefined) {
    const how = (await hasCounter()) ? '' : 'npm install rate-limiter-flexible, then ';
    return ['skip', `no *_rate_limit is set: ${how}take the # away from those that svc init wrote`];
  }
  const place = config.rateLimitStoreUrl ? 'Redis' : 'the database';
  try {
    await consumeOnce(config, storage, route);
    const limited = routes.length === 1 ? '1 route is limited' : `${routes.length} routes are limited`;
    return ['ok', `${limited}, counted in ${place}`];
  } catch (error) {
    const { name, message } = error as Error;
    return ['fail', name === 'GatehouseError' ? `${place} does not count: ${message}` : reasonOf(error)];
  }
}

async function consumeOnce(config: Config, storage: Storage, route: RouteLimit): Promise<void> {
  const { limits, close } = await openRateLimits(config, storage.counters, undefined);
  try {
    await limits.consume(route, nobodysAddress);
  } finally {
    await close();
  }
}

/** Where a database is, without its user and password. */
function described(url: DatabaseUrl): string {
  if (url.backend === 'sqlite') return `SQLite at ${url.path}`;
  const [, hosts = '', path = ''] = /^[^:]+:\/\/(?:[^/]*@)?([^/?]*)(?:\/([^?]*))?/.exec(url.url) ?? [];
  return url.backend === 'postgresql'
    ? `PostgreSQL at ${hosts}, database ${path}`
    : `MongoDB at ${hosts}, database ${url.database}`;
}
