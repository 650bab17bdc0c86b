import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** A feature that the project is built without has no table. */
interface Names {
  signing_keys?: string;
}

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
