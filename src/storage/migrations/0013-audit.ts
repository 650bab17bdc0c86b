import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** Audit records (CONTRACT §12.3). Only a table is added: the former version neither reads nor writes it. */
export function audit(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, time, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.table(names.audit, 'id', {
        id: text,
        at: time,
        operation: text,
        by: text,
        actor: optionalText,
        subject: optionalText,
        outcome: text,
        code: optionalText,
        changes: optionalText,
        count: whole,
        ip: optionalText,
        request_id: optionalText,
        device: optionalText,
        fold: optionalText,
      });
      this.index(names.audit, 'subject', 'id');
      this.index(names.audit, 'actor', 'id');
      this.index(names.audit, 'operation', 'id');
      this.index(names.audit, 'outcome', 'id');
      this.index(names.audit, 'operation', 'outcome', 'id');
      this.unique(names.audit, 'fold');
    }
  };
}
