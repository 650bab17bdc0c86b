import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/**
 * An act that is relevant to security (CONTRACT §12.3). Rows are added and, when they are old enough, removed; all that
 * ever changes is the count of a row that stands for several acts.
 */
export function auditRecord(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'StoredAuditRecord',
    tableName,
    properties: {
      /** A UUID of version 7 that begins with `at`: the order of ids is that of time, and a span of time is one of ids. */
      id: p.text().primary().fieldName(key('id')),
      at: p.datetime(3),
      operation: p.text(),
      by: p.text().$type<'self' | 'admin' | 'cli' | 'host'>(),
      actor: p.text().nullable(),
      subject: p.text().nullable(),
      outcome: p.text().$type<'ok' | 'refused' | 'failed'>(),
      code: p.text().nullable(),
      /** Names of what was changed, separated by commas. */
      changes: p.text().nullable(),
      /** For how many acts it stands. */
      count: p.integer(),
      ip: p.text().nullable(),
      requestId: p.text().nullable(),
      /** The browser and system: "Firefox on Linux". */
      device: p.text().nullable(),
      /** A hash of what acts have in common that one row stands for; null for an act with a row of its own. */
      fold: p.text().nullable().unique(),
    },
    // One for each search of administrators, and for a person's own acts; their order is that of the list.
    indexes: [
      { properties: ['subject', 'id'] },
      { properties: ['actor', 'id'] },
      { properties: ['operation', 'id'] },
      { properties: ['outcome', 'id'] },
      { properties: ['operation', 'outcome', 'id'] },
    ],
  });
}

export type StoredAuditRecord = Stored<ReturnType<typeof auditRecord>>;
