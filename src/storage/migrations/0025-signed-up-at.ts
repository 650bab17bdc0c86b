import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** When people signed up (CONTRACT §12.4). The column may be omitted, as the former version does. */
export function signedUpAt(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { optionalTime } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.addSql(`alter table ${this.quote(names.users)} add column signed_up_at ${optionalTime}`);
    }
  };
}
