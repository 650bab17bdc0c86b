import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** The stored audit, a feature that the project may be built without. */
type Names = TableNames & { audit?: string };

/** Audit records (CONTRACT §12.3). Only a table is added: the former version neither reads nor writes it. */
export function audit({ audit: name }: Names, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, time, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      if (name === undefined) return;
      this.table(name, 'id', {
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
      this.index(name, 'subject', 'id');
      this.index(name, 'actor', 'id');
      this.index(name, 'operation', 'id');
      this.index(name, 'outcome', 'id');
      this.index(name, 'operation', 'outcome', 'id');
      this.unique(name, 'fold');
    }
  };
}
