import { isIP } from 'node:net';
import type { Redis } from 'ioredis';
import type { RedisUrl } from '../config/redis-url.ts';
import { readTlsFiles } from '../config/tls-files.ts';
import { isLocal } from '../config/url-parts.ts';
import type { Logger } from '../logger.ts';
import { importOptional } from '../optional.ts';
import type { Counters } from '../storage/backend.ts';
import { StorageError } from '../storage/errors.ts';
import type { Transport } from '../storage/transport.ts';
import { redisRefusal } from './redis-refusals.ts';

/** The timeout of a command to Redis, in milliseconds. */
const timeoutMs = 2000;

/** A Redis server in which requests are counted. */
export interface RedisStore {
  client: Redis;
  /** Runs work that uses Redis. @throws {StorageError} with the reason why it failed */
  run: Counters['run'];
  /** Checks the connection. @throws {StorageError} when Redis does not respond */
  ping(): Promise<void>;
  transport: Transport;
  close(): void;
}

/**
 * Opens a Redis, which need not be running yet: while it is unavailable, commands fail at once, and the client reconnects
 * by itself. Each outage is logged once.
 * @throws {MissingPackageError} when the package of the driver is missing
 * @throws {StorageError} when a file of the URL can't be used
 */
export async function openRedis(url: RedisUrl, logger: Pick<Logger, 'info' | 'warn'>): Promise<RedisStore> {
  const ioredis = await importOptional('ioredis', 'rate_limit_store_url', () => import('ioredis'));
  const { address, database: db, isEncrypted, verifies } = url;
  const client = new ioredis.Redis({
    ...(address.host.startsWith('/') ? { path: address.host } : address),
    ...(url.user !== undefined && { username: url.user }),
    ...(url.password !== undefined && { password: url.password }),
    ...(isEncrypted && { tls: tlsOf(url) }),
    db,
    enableOfflineQueue: false,
    // Redis may have counted a command without replying; sending it again would count one request twice.
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    // A connection without a reply within the timeout may be dead for good, so it is replaced.
    socketTimeout: timeoutMs,
    lazyConnect: true,
  });
  const outages = watchOutages(client, url, logger);
  // Connect before the first request. While Redis is unavailable, requests report it and the client retries.
  await client.connect().catch(() => {});

  const run: Counters['run'] = async work => {
    try {
      outages.assertDatabase();
      return await work();
    } catch (error) {
      throw outages.explain(error);
    }
  };
  return {
    client,
    run,
    ping: () => run(async () => void (await client.ping())),
    transport: { isLocal: isLocal(address.host), isEncrypted, verifies },
    close() {
      outages.end();
      client.disconnect();
    },
  };
}

function tlsOf({ address: { host }, verifies, tlsFiles }: RedisUrl) {
  try {
    return {
      ...readTlsFiles(tlsFiles),
      // Servers that share an address choose their certificate by this name.
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: verifies.issuer,
      ...(!verifies.name && { checkServerIdentity: () => undefined }),
    };
  } catch (error) {
    throw new StorageError(`rate_limit_store_url ${(error as Error).message}.`);
  }
}

/**
 * Keeps the reason of the latest connection failure, which later commands do not repeat, and logs the beginning and end
 * of each outage.
 */
function watchOutages(client: Redis, url: RedisUrl, logger: Pick<Logger, 'info' | 'warn'>) {
  let latest: unknown;
  let wrongDatabase: unknown;
  let hasResponded = false;
  let isReported = false;

  function note(error: unknown): void {
    latest = error;
    if (isReported) return;
    isReported = true;
    logger.warn({}, `requests with a limit are refused: ${refusal(error).message}`);
  }
  const refusal = (error: unknown) => redisRefusal(error, url, hasResponded);
  client.on('error', (error: Error & { command?: { name: string } }) => {
    // The client would continue in another database.
    if (error.command?.name === 'select') wrongDatabase = error;
    note(error);
  });
  client.on('close', () => {
    if (latest === undefined) note(new Error('Connection is closed.'));
    hasResponded = false;
  });
  client.on('ready', () => {
    if (wrongDatabase !== undefined) return;
    latest = undefined;
    hasResponded = true;
    if (isReported) logger.info({}, 'requests with a limit are served again');
    isReported = false;
  });

  return {
    /** @throws the error of Redis when it has no database of this number */
    assertDatabase(): void {
      if (wrongDatabase !== undefined) throw wrongDatabase;
    },
    /** Returns why a command failed: the error of its connection explains more than the lack of one. */
    explain: (error: unknown): StorageError =>
      refusal(error instanceof Error && latest !== undefined && isConsequence(error) ? latest : error),
    end: () => client.removeAllListeners('close'),
  };
}

/** Returns whether a command failed only because there was no connection. */
const isConsequence = ({ name, message }: Error) =>
  name !== 'ReplyError' && /writeable|Connection is closed|max retries|connection close/i.test(message);
