import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** New sign-ins are a feature that the project may be built without. */
type Names = Pick<TableNames, 'users'> & { not_me_links?: string; sign_in_places?: string };

/**
 * Known places of sign-in, and the links "this was not me" (CONTRACT §12.4). The columns of users may be omitted, as the
 * former version does.
 */
export function notMe(names: Names, dialect: SqlBackend): Constructor<Migration> {
  const { text, time, optionalTime, whole } = columnTypes(dialect);
  const optionalWhole = whole.replace('not null', 'null');
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const users = this.quote(names.users);
      this.addSql(`alter table ${users} add column password_mails ${optionalWhole}`);
      this.addSql(`alter table ${users} add column restorations ${optionalWhole}`);

      const { not_me_links: links, sign_in_places: places } = names;
      if (links === undefined || places === undefined) return;
      this.table(links, 'id', {
        id: text,
        user_id: text,
        snapshot: text,
        state: text,
        failures: whole,
        created_at: time,
        expires_at: time,
      });
      this.index(links, 'user_id');
      this.index(links, 'expires_at');

      this.table(places, 'id', {
        id: text,
        user_id: text,
        last_used_at: time,
        announced_at: optionalTime,
      });
      this.index(places, 'user_id');
      this.index(places, 'last_used_at');
    }
  };
}
