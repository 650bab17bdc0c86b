import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** Counts by the hour. Only a table is added: the former version neither reads nor writes it. */
export function hourCounts(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, time, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.table(names.hour_counts, 'id', { id: text, hour: time, kind: text, count: whole });
      this.index(names.hour_counts, 'hour');
    }
  };
}
