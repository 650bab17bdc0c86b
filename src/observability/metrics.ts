import type { HashLoad } from '../crypto/password-hash.ts';
import { importOptional } from '../optional.ts';
import type { QueueState } from '../outgoing/queue.ts';

/** What the parts of an instance count, whether anybody asks or not. */
export interface Counts {
  hashing: HashLoad;
  mail: QueueState;
  text: QueueState;
  /** Guesses that a lock refused, by what was guessed at. */
  lockouts: Record<string, number>;
}

export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

/** Bounds in seconds: from a read of the profile to a login that waits for its hash. */
const operationBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const databaseBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2];

/**
 * Metrics in the text format of Prometheus, in a registry of this instance's own. A label has few values, all of them
 * our own words. @throws {MissingPackageError} when prom-client is missing
 */
export async function openMetrics(counts: () => Counts) {
  const load = () => import('prom-client');
  const { default: client } = await importOptional('prom-client', 'enable_metrics', load);
  const registry = new client.Registry();
  const registers = [registry];
  client.collectDefaultMetrics({ register: registry });

  const operations = new client.Counter({
    name: 'gatehouse_operations_total',
    help: 'Calls of operations, by how they ended: ok, or the code of the error.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const durations = new client.Histogram({
    name: 'gatehouse_operation_duration_seconds',
    help: 'How long operations took.',
    labelNames: ['operation'],
    buckets: operationBuckets,
    registers,
  });
  const database = new client.Histogram({
    name: 'gatehouse_database_duration_seconds',
    help: 'How long calls of the database took.',
    labelNames: ['outcome'],
    buckets: databaseBuckets,
    registers,
  });

  type Read = () => Record<string, number>;
  const total = (name: string, help: string, label: string, read: Read) =>
    new client.Counter({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [word, value] of Object.entries(read())) this.inc({ [label]: word }, value);
      },
    });
  const now = (name: string, help: string, label: string, read: Read) =>
    new client.Gauge({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        for (const [word, value] of Object.entries(read())) this.set({ [label]: word }, value);
      },
    });
  now('gatehouse_hashing', 'Password hashes under way.', 'state', () => {
    const { running, waiting } = counts().hashing;
    return { running, waiting };
  });
  total('gatehouse_hashing_refused_total', 'Hashes refused as too many waited.', 'reason', () => ({
    queue_full: counts().hashing.refused,
  }));
  for (const kind of ['mail', 'text'] as const) {
    const noun = kind === 'mail' ? 'mails' : 'text_messages';
    now(`gatehouse_${noun}`, 'Messages on their way out.', 'state', () => ({
      waiting: counts()[kind].waiting,
    }));
    total(`gatehouse_${noun}_total`, 'Messages that were sent, or given up.', 'outcome', () => {
      const { sent, failed } = counts()[kind];
      return { sent, failed };
    });
  }
  total('gatehouse_lockouts_total', 'Guesses that a lock refused.', 'subject', () => counts().lockouts);

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    operation(operation: string, outcome: string, seconds: number): void {
      operations.inc({ operation, outcome });
      durations.observe({ operation }, seconds);
    },
    database: (outcome: 'ok' | 'failed', seconds: number): void => database.observe({ outcome }, seconds),
    /** Lets go of what measures the process. */
    close: (): void => registry.clear(),
  };
}
