import { defineTable, integer, type RowOf, text, time } from '../../tables/define.ts';

/**
 * An act that is relevant to security (CONTRACT §12.3). Rows are added and, when they are old enough, removed; all that
 * ever changes is the count of a row that stands for several acts.
 */
export const auditRecords = defineTable({
  name: 'StoredAuditRecord',
  setting: 'audit_collection',
  usualName: 'audit_records',
  description: '… of audit records, while `audit_store` is `database`',
  columns: {
    /** A UUID of version 7 that begins with `at`: the order of ids is that of time, and a span of time is one of ids. */
    id: text().key(),
    at: time(),
    operation: text(),
    by: text<'self' | 'admin' | 'cli' | 'host' | 'system'>(),
    actor: text().nullable(),
    subject: text().nullable(),
    outcome: text<'ok' | 'refused' | 'failed'>(),
    code: text().nullable(),
    /** Names of what was changed, separated by commas. */
    changes: text().nullable(),
    /** For how many acts it stands. */
    count: integer(),
    ip: text().nullable(),
    requestId: text().nullable(),
    /** The browser and system: "Firefox on Linux". */
    device: text().nullable(),
    /** A hash of what acts have in common that one row stands for; null for an act with a row of its own. */
    fold: text().nullable().unique(),
  },
  // One for each search of administrators, and for a person's own acts; their order is that of the list.
  indexes: [
    ['subject', 'id'],
    ['actor', 'id'],
    ['operation', 'id'],
    ['outcome', 'id'],
    ['operation', 'outcome', 'id'],
  ],
  mongodb: {
    // Most records stand for one act and have no such hash.
    partialUniques: { fold: { fold: { $gt: '' } } },
  },
});

export type StoredAuditRecord = RowOf<typeof auditRecords>;
