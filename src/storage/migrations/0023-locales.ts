import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** In which language people are written to (CONTRACT §20.3). The columns may be omitted, as the former version does. */
export function locales(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { optionalText } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      for (const name of [names.users, names.pending])
        this.addSql(`alter table ${this.quote(name)} add column locale ${optionalText}`);
    }
  };
}
