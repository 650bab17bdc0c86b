import type { HashLoad } from '../crypto/password-hash.ts';
import type { QueueState } from '../outgoing/queue.ts';
import type { Counts } from './metrics.ts';

/** What an operator looks at when something is slow or missing. */
export interface Status {
  /** `degraded`: requests are served, and something beside them is not as it should be. */
  status: 'ready' | 'degraded' | 'not_ready';
  /** Names of the checks that are not `ok`. */
  degraded: string[];
  checks: Record<string, Check>;
}

interface Check {
  status: string;
  [detail: string]: unknown;
}

interface StatusParts {
  ping(): Promise<void>;
  schemaState(): Promise<string>;
  /** Asks the store of the limits, where that is not the database. */
  pingLimits: (() => Promise<unknown>) | undefined;
  counts(): Counts;
}

/** Asks every part how it is; answers within the bounds of two storage calls, whatever is down. */
export async function readStatus(parts: StatusParts): Promise<Status> {
  const { hashing, mail, text } = parts.counts();
  const [database, limits] = await Promise.all([
    reachable(parts.ping),
    parts.pingLimits && reachable(parts.pingLimits),
  ]);
  const schema = { status: database.status === 'ok' ? await schemaStatus(parts) : 'unknown' };
  const checks: Record<string, Check> = {
    database,
    schema,
    ...(limits && { limits }),
    hashing: hashes(hashing),
    mail: messages(mail),
    text_messages: messages(text),
  };
  const degraded = Object.keys(checks).filter(name => checks[name]!.status !== 'ok');
  const isReady = database.status === 'ok' && schema.status === 'ok';
  return { status: !isReady ? 'not_ready' : degraded.length > 0 ? 'degraded' : 'ready', degraded, checks };
}

const schemaStatus = ({ schemaState }: StatusParts): Promise<string> =>
  schemaState().then(
    state => (state === 'current' ? 'ok' : state),
    () => 'unknown',
  );

const reachable = (ask: () => Promise<unknown>): Promise<Check> =>
  ask().then(
    () => ({ status: 'ok' }),
    () => ({ status: 'down' }),
  );

/** Waiting is what a queue is for; one that is full refuses people. */
const hashes = ({ isFull, ...load }: HashLoad): Check => ({ status: isFull ? 'full' : 'ok', ...load });

const messages = ({ failing, ...state }: QueueState): Check => ({
  status: failing ? 'failing' : 'ok',
  ...state,
  ...(failing && { last_error: { code: failing.code, seconds_ago: failing.secondsAgo } }),
});
