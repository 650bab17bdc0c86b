import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createActivityService } from './activity.ts';
import { createAuditService } from './records.ts';
import { createOperatorAudit } from './search.ts';
import { createAuditStore } from './store.ts';

export { check } from './check.ts';

/** Stores each audit record before its act is answered, and opens the operations that read them. */
export function open(parts: FeatureParts) {
  const { config, repositories, logger, schedule, meter } = parts;
  const { store, state } = createAuditStore({ add: row => repositories.audit.add(row), logger, schedule });
  meter?.total(
    'gatehouse_audit_unstored_total',
    'Audit records that the log has because the database could not take them, or not in time.',
    'reason',
    () => ({ ...state.unstored }),
  );
  return {
    operations: {
      activity: createActivityService(parts),
      audit: config.enableAdminRouter ? createAuditService(parts) : undefined,
    },
    storeRecord: store,
    status: () => ({ audit: { status: state.isFailing ? 'failing' : 'ok', unstored: state.unstored } }),
    operator: createOperatorAudit(parts),
  } satisfies OpenFeature;
}
