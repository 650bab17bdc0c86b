import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/**
 * Messages that wait to be delivered (CONTRACT §12.1). Only a table is added: the former version neither reads nor writes
 * it.
 */
export function outbox(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, time, optionalTime, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.table(names.outbox, 'id', {
        id: text,
        kind: text,
        purpose: text,
        recipient: text,
        payload: text,
        state: text,
        attempts: whole,
        created_at: time,
        next_attempt_at: optionalTime,
        ends_at: time,
        lease: optionalText,
        last_error: optionalText,
      });
      this.index(names.outbox, 'next_attempt_at');
      this.index(names.outbox, 'state', 'id');
    }
  };
}
