import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { EntityNames } from '../../entities/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/**
 * Known places of sign-in, and the links "this was not me" (CONTRACT §12.4). The columns of users may be omitted, as the
 * former version does.
 */
export function notMe(names: EntityNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, time, optionalTime, whole } = columnTypes(dialect);
  const optionalWhole = whole.replace('not null', 'null');
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const users = this.quote(names.user);
      this.addSql(`alter table ${users} add column password_mails ${optionalWhole}`);
      this.addSql(`alter table ${users} add column restorations ${optionalWhole}`);

      this.table(names.notMeLink, 'id', {
        id: text,
        user_id: text,
        snapshot: text,
        state: text,
        failures: whole,
        created_at: time,
        expires_at: time,
      });
      this.index(names.notMeLink, 'user_id');
      this.index(names.notMeLink, 'expires_at');

      this.table(names.signInPlace, 'id', {
        id: text,
        user_id: text,
        last_used_at: time,
        announced_at: optionalTime,
      });
      this.index(names.signInPlace, 'user_id');
      this.index(names.signInPlace, 'last_used_at');
    }
  };
}
