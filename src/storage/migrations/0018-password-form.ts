import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/**
 * Which hashes were made from the NFC form of a password (CONTRACT §4.2). The columns may be omitted, as the former version
 * does: a hash that they do not name is compared in every form.
 */
export function passwordForm(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { optionalText } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      for (const name of [names.users, names.pending])
        this.addSql(`alter table ${this.quote(name)} add column password_form ${optionalText}`);
    }
  };
}
