import { resolve } from 'node:path';
import { type DatabaseUrl, isInMemory } from '../../config/database-url.ts';
import type { RouteLimit } from '../../config/schema/limits.ts';
import type { Config } from '../../config/schema.ts';
import { shownAddress } from '../../config/url-parts.ts';
import { openRateLimits } from '../../limits/open.ts';
import { createRateLimits } from '../../limits/rate-limit.ts';
import { countStored } from '../../observability/metrics.ts';
import { isInstalled } from '../../optional.ts';
import { missingFile } from '../../storage/missing-file.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { storageOptionsOf } from '../../storage/options.ts';
import type { Transport } from '../../storage/transport.ts';
import { checkFeatures } from './features.ts';
import { type Finding, type NamedFinding, reasonOf } from './finding.ts';
import { checkPooler, checkTransport, remedies } from './transport.ts';

/** Checks the database, its schema, and the counts of requests, which may be stored in it. */
export async function checkDatabase(config: Config): Promise<NamedFinding[]> {
  const url = config.databaseUrl.parsed();
  const missing = missingFile(url);
  if (missing !== null) return [{ name: 'database', finding: ['fail', missing] }];
  let storage: Storage;
  try {
    storage = await openStorage(url, storageOptionsOf(config));
  } catch (error) {
    return [{ name: 'database', finding: ['fail', reasonOf(error)] }];
  }
  try {
    const database = await reach(storage, url);
    const checks = database.map(finding => ({ name: 'database', finding }));
    if (database.some(([outcome]) => outcome === 'fail')) return checks;
    checks.push(...(await remarksOf(storage)).map(finding => ({ name: 'database', finding })));
    const schema = await compareSchema(storage);
    checks.push(...schema.map(finding => ({ name: 'schema', finding })));
    if (schema.every(([outcome]) => outcome !== 'fail')) {
      for (const finding of await countOnce(config, storage)) checks.push({ name: 'limits', finding });
      checks.push({ name: 'mail store', finding: await checkStore(config, storage) });
      checks.push(...(await checkFeatures(config, storage)));
    }
    return checks;
  } finally {
    await storage.close();
  }
}

async function reach(storage: Storage, url: DatabaseUrl): Promise<Finding[]> {
  try {
    const { transport, pooler } = await storage.describeConnection();
    const answers: Finding = ['ok', `${described(url)} is reachable`];
    if (!transport || url.backend === 'sqlite') {
      await storage.ping();
      return [answers];
    }
    return [answers, checkTransport(transport, remedies[url.backend]), ...checkPooler(pooler)];
  } catch (error) {
    const reason = reasonOf(error);
    const isNamed = /\b(PostgreSQL|MongoDB|SQLite)\b/.test(reason);
    return [['fail', isNamed ? reason : `${described(url)} cannot be used: ${reason}`]];
  }
}

/** Returns what deserves attention about the database itself. */
async function remarksOf(storage: Storage): Promise<Finding[]> {
  try {
    return (await storage.listRemarks()).map(({ outcome, text }) => [outcome, text]);
  } catch (error) {
    return [['fail', reasonOf(error)]];
  }
}

/** Compares the executed steps, and then every table, column, constraint and index; one line for each difference. */
async function compareSchema(storage: Storage): Promise<Finding[]> {
  try {
    const state = await storage.readSchemaState();
    if (state === 'ahead') return [['fail', 'was migrated by a newer version: run that version']];
    if (state === 'behind')
      return [['fail', 'is not installed, or is older than this version: run svc migrate']];
    const differences = await storage.findDifferences();
    if (differences.length > 0) return differences.map(({ text }) => ['fail', text]);
    if (state === 'current') return [['ok', 'is up to date']];
    return [
      ['warn', 'was migrated by a newer version with which this one is compatible: finish the upgrade'],
    ];
  } catch (error) {
    return [['fail', reasonOf(error)]];
  }
}

/** Returns how many messages wait in the database, and warns of those that were given up. */
async function checkStore({ mailStore }: Config, { repositories }: Storage): Promise<Finding> {
  if (mailStore === 'memory')
    return ['skip', 'messages wait in memory (mail_store), and are lost with their process'];
  try {
    const stored = Object.values(await countStored(repositories));
    const [waiting, dead] = (['waiting', 'dead'] as const).map(state =>
      stored.reduce((sum, counts) => sum + counts[state], 0),
    );
    if (dead === 0) return ['ok', `messages wait in the database: ${waiting} now`];
    return ['warn', `${dead} of the messages were given up: svc outbox list --state dead says why`];
  } catch (error) {
    return ['fail', reasonOf(error)];
  }
}

/** A documentation address (RFC 5737 §3), so that no client's count changes. */
const nobodysAddress = '192.0.2.1';

async function countOnce(config: Config, storage: Storage): Promise<Finding[]> {
  const routes = createRateLimits(config, null).configured;
  const [route] = routes;
  if (route === undefined) {
    const how = isInstalled('rate-limiter-flexible') ? '' : 'npm install rate-limiter-flexible, then ';
    return [['skip', `no *_rate_limit is set: ${how}uncomment those that svc init wrote`]];
  }
  try {
    const transport = await consumeOnce(config, storage, route);
    const limited = routes.length === 1 ? '1 route is limited' : `${routes.length} routes are limited`;
    const findings: Finding[] = [['ok', `${limited}, counted in ${transport ? 'Redis' : 'the database'}`]];
    return transport ? [...findings, checkTransport(transport, remedies.redis)] : findings;
  } catch (error) {
    return [['fail', reasonOf(error)]];
  }
}

/** Counts one request. Returns how the connection to the store is made, if the store is not the database. */
async function consumeOnce(config: Config, storage: Storage, route: RouteLimit): Promise<Transport | null> {
  const { limits, store, close } = await openRateLimits(config, storage.openCounters, undefined, silent);
  try {
    await limits.consume(route, nobodysAddress);
    return store?.transport ?? null;
  } finally {
    await close();
  }
}

/** Problems are reported as findings. */
const silent = { info() {}, warn() {} };

/** Returns the address of a database, without user and password. */
function described(url: DatabaseUrl): string {
  if (url.backend === 'sqlite') return `SQLite at ${isInMemory(url) ? url.path : resolve(url.path)}`;
  const hosts = url.hosts.map(shownAddress).join(', ');
  return `${url.backend === 'postgresql' ? 'PostgreSQL' : 'MongoDB'} at ${hosts}, database ${url.database}`;
}
