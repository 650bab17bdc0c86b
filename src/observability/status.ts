import type { HashLoad } from '../crypto/password-hash.ts';
import { storageReason } from '../errors.ts';
import { snakeCase } from '../names.ts';
import type { QueueState } from '../outgoing/message-queue.ts';
import type { Counts } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/** The state of an instance, for an operator who finds something slow or missing. */
export interface Status {
  /** `degraded`: requests are served, and a part is not in order. */
  status: 'ready' | 'degraded' | 'not_ready';
  /** Names of the checks that are not `ok`. */
  degraded: string[];
  checks: Record<string, StatusCheck>;
}

export interface StatusCheck {
  status: string;
  [detail: string]: unknown;
}

interface StatusParts {
  readiness(): Promise<Readiness>;
  /** Checks the store of the rate limits, where that is not the database. */
  pingLimits: (() => Promise<unknown>) | undefined;
  counts(): Counts;
  /** Returns the states that features report. */
  ofFeatures(): Readonly<Record<string, StatusCheck>>;
}

/** Returns the state of every part. */
export async function readStatus(parts: StatusParts): Promise<Status> {
  const { hashing, mail, text } = parts.counts();
  const [readiness, limits] = await Promise.all([
    parts.readiness(),
    parts.pingLimits && reachable(parts.pingLimits),
  ]);
  const checks: Record<string, StatusCheck> = {
    database: {
      status: readiness.database,
      ...(readiness.database !== 'ok' && { reason: readiness.reason }),
    },
    schema: { status: readiness.schema },
    ...(limits && { limits }),
    hashing: hashes(hashing),
    mail: messages(mail),
    textMessages: messages(text),
    ...parts.ofFeatures(),
  };
  const degraded = Object.keys(checks).filter(name => checks[name]!.status !== 'ok');
  const ready = degraded.length > 0 ? 'degraded' : 'ready';
  return { status: readiness.isReady ? ready : 'not_ready', degraded, checks };
}

/** Returns what operators read over HTTP, where every name is in snake_case. */
export const statusOnWire = ({ status, degraded, checks }: Status) => ({
  status,
  degraded: degraded.map(snakeCase),
  checks: namedInSnakeCase(checks),
});

function namedInSnakeCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), namedInSnakeCase(inner)]),
  );
}

const reachable = (ask: () => Promise<unknown>): Promise<StatusCheck> =>
  ask().then(
    () => ({ status: 'ok' }),
    error => ({ status: 'down', reason: storageReason(error) ?? 'it is unreachable' }),
  );

/** A waiting hash is normal for a queue; a full queue rejects users. */
const hashes = ({ isFull, ...load }: HashLoad): StatusCheck => ({ status: isFull ? 'full' : 'ok', ...load });

const messages = ({ failing, ...state }: QueueState): StatusCheck => ({
  status: failing ? 'failing' : 'ok',
  ...state,
  ...(failing && { lastError: failing }),
});
