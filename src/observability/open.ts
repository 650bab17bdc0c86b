import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type AuditRecord, createAudit } from './audit.ts';
import { type Counts, openMetrics } from './metrics.ts';
import { openTracing } from './tracing.ts';
import { createWatch } from './watch.ts';

interface ObservabilityParts {
  clock: Clock;
  logger: Logger;
  secret: string;
  version: string;
  enableMetrics: boolean;
  counts: () => Counts;
  emit: (record: AuditRecord) => void;
}

/** What watches an instance. @throws {MissingPackageError} when metrics are wanted and prom-client is missing */
export async function openObservability({ version, enableMetrics, counts, ...parts }: ObservabilityParts) {
  const metrics = enableMetrics ? await openMetrics(counts) : null;
  return {
    metrics,
    watch: createWatch({ audit: createAudit(parts), metrics, tracing: await openTracing(version) }),
  };
}
