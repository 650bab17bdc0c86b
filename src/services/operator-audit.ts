import { AuditFilters } from '../contract/inputs/audit.ts';
import { parse } from '../contract/inputs/parse.ts';
import { type AuditRecordView, toAuditRecordView } from '../contract/views/audit.ts';
import { selectionOf } from '../domain/audit-selection.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { DefineAct } from '../domain/operator-act.ts';
import type { AuditSelection } from '../storage/repositories/audit.ts';

/** How many records are read at once. */
const pageSize = 500;

/** Audit records, for an operator at the command line. */
export function createOperatorAudit({ repositories }: Dependencies, defineAct: DefineAct) {
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
    search: defineAct('auditRecords', async (raw: unknown) => pages(selectionOf(parse(AuditFilters, raw)))),
  };
}
