import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/**
 * Known places of sign-in, and the links "this was not me" (CONTRACT §12.4). The columns of users may be omitted, as the
 * former version does.
 */
export function notMe(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, time, optionalTime, whole } = columnTypes(dialect);
  const optionalWhole = whole.replace('not null', 'null');
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const users = this.quote(names.users);
      this.addSql(`alter table ${users} add column password_mails ${optionalWhole}`);
      this.addSql(`alter table ${users} add column restorations ${optionalWhole}`);

      this.table(names.not_me_links, 'id', {
        id: text,
        user_id: text,
        snapshot: text,
        state: text,
        failures: whole,
        created_at: time,
        expires_at: time,
      });
      this.index(names.not_me_links, 'user_id');
      this.index(names.not_me_links, 'expires_at');

      this.table(names.sign_in_places, 'id', {
        id: text,
        user_id: text,
        last_used_at: time,
        announced_at: optionalTime,
      });
      this.index(names.sign_in_places, 'user_id');
      this.index(names.sign_in_places, 'last_used_at');
    }
  };
}
