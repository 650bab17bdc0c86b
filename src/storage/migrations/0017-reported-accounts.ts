import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/**
 * The state of a report "this was not me" (CONTRACT §12.4). The columns may be omitted, as the former version does: the
 * passwords that it stops for a report stay stopped until the reset that it asks for. Its own columns of users stay.
 */
export function reportedAccounts(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { optionalTime } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const users = this.quote(names.users);
      for (const column of ['reported_at', 'distrusted_since', 'resets_held_at'])
        this.addSql(`alter table ${users} add column ${column} ${optionalTime}`);
      this.index(names.users, 'reported_at', 'id');
    }
  };
}
