import type { FeatureParts } from '../../composition/open-feature.ts';
import { parse } from '../../contract/inputs/parse.ts';
import { AuditFilters } from './inputs.ts';
import type { AuditSelection } from './rows.ts';
import { selectionOf } from './selection.ts';
import { type AuditRecordView, toAuditRecordView } from './views.ts';

/** How many records are read at once. */
const pageSize = 500;

/** Audit records, for an operator at the command line. */
export function createOperatorAudit({ repositories, defineAct }: FeatureParts) {
  const { audit } = repositories;

  async function* pages(only: AuditSelection): AsyncGenerator<AuditRecordView[]> {
    for (let after: string | null = null; ; ) {
      const page = await audit.list(only, { after, limit: pageSize });
      if (page.length === 0) return;
      yield page.map(toAuditRecordView);
      after = page.at(-1)!.id;
    }
  }

  return {
    /** Returns the records, in pages, newest first. The look is one act, recorded before the first page is read. */
    search: defineAct('auditRecords', async (raw: unknown) =>
      pages(await selectionOf(repositories, parse(AuditFilters, raw))),
    ),
  };
}
