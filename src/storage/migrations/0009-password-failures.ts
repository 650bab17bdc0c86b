import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** Consecutive failures (CONTRACT §11.1). A table is added: the former version neither reads nor writes it. */
export function passwordFailures(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.table(names.password_failures, 'subject', { subject: text, password: text, failures: whole });
    }
  };
}
