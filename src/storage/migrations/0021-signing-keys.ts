import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** A feature that the project may be built without. */
type Names = TableNames & { signing_keys?: string };

/** Keys that sign access tokens (CONTRACT §18). Only a table is added: the former version neither reads nor writes it. */
export function signingKeys(names: Names, dialect: SqlBackend): Constructor<Migration> {
  const { text, time, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      if (names.signing_keys === undefined) return;
      const keys = dialect === 'postgresql' ? 'jsonb not null' : 'json not null';
      this.table(names.signing_keys, 'id', { id: text, version: whole, keys, updated_at: time });
    }
  };
}
