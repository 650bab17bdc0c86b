import type { Dependencies } from '../../domain/dependencies.ts';
import { readPage } from '../../domain/pages.ts';
import { AuditInput } from './inputs.ts';
import { addAddresses } from './people.ts';
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
      input: AuditInput,
      output: AuditPage,
      errors: [],
    },
    async ({ limit, after, with_addresses, ...filters }): Promise<AuditPage> => {
      const only = await selectionOf(repositories, filters);
      const asked = { limit, after };
      const page = await readPage(asked, at => repositories.audit.list(only, at), toAuditRecordView);
      return with_addresses ? { ...page, items: await addAddresses(repositories, page.items) } : page;
    },
  );

  return { listRecords };
}
