import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** When passwords were set. The former version omits the column, and no time is known of a password that it has set. */
export function passwordSetAt(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { optionalTime } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.addSql(`alter table ${this.quote(names.users)} add column password_set_at ${optionalTime}`);
    }
  };
}
