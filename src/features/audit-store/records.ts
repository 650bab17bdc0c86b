import type { Dependencies } from '../../domain/dependencies.ts';
import { readPage } from '../../domain/pages.ts';
import { AuditInput } from './inputs.ts';
import { selectionOf } from './selection.ts';
import { AuditPage, toAuditRecordView } from './views.ts';

/** Audit records in the database, for administrators (CONTRACT §12.3). */
export function createAuditService({ repositories, define }: Dependencies) {
  const listRecords = define(
    {
      name: 'auditRecords',
      at: 'GET /admin/audit',
      summary: 'Audit records, newest first.',
      description: 'Looking is recorded, too.',
      access: { kind: 'superuser' },
      audited: 'people',
      input: AuditInput,
      output: AuditPage,
      errors: [],
    },
    ({ limit, after, ...filters }): Promise<AuditPage> => {
      const only = selectionOf(filters);
      return readPage({ limit, after }, page => repositories.audit.list(only, page), toAuditRecordView);
    },
  );

  return { listRecords };
}
