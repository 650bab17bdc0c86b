import type { AuditFilters } from './inputs.ts';
import type { AuditSelection } from './rows.ts';

/** Returns which records some filters select. */
export function selectionOf({ since, until, ...filters }: AuditFilters): AuditSelection {
  const given = Object.entries(filters).filter(([, value]) => value != null);
  return {
    ...Object.fromEntries(given),
    ...(since != null && { since: new Date(since) }),
    ...(until != null && { until: new Date(until) }),
  };
}
