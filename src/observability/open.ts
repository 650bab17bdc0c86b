import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type AuditRecord, createAudit } from './audit.ts';
import { type Counts, openMetrics, type StoredCounts } from './metrics.ts';
import { openTracing } from './tracing.ts';
import { createWatch } from './watch.ts';

interface ObservabilityParts {
  clock: Clock;
  logger: Logger;
  secret: string;
  version: string;
  enableMetrics: boolean;
  counts: () => Counts;
  /** Counts the messages in the database; absent while none are stored there. */
  stored: (() => Promise<StoredCounts>) | undefined;
  emit: (record: AuditRecord) => void;
  /** The operating-system user who runs the commands of this process. */
  osUser: string | null;
}

/**
 * Opens audit, metrics and tracing of an instance.
 * @throws {MissingPackageError} when metrics are on and prom-client is missing
 */
export async function openObservability({
  version,
  enableMetrics,
  counts,
  stored,
  osUser,
  ...parts
}: ObservabilityParts) {
  const metrics = enableMetrics ? await openMetrics(counts, { stored }) : null;
  const audit = createAudit(parts);
  return {
    audit,
    metrics,
    watch: createWatch({ audit, metrics, tracing: await openTracing(version), osUser }),
  };
}
