import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import { phoneOperations } from '../phone-operations.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** The stored audit is a feature that the project may be built without. */
type Names = Pick<TableNames, 'users' | 'authenticators'> & { audit?: string };

/**
 * When a phone was confirmed (CONTRACT §9.4). The column may be omitted, as the former version does. A phone was confirmed
 * where the second step is on and there is no app, and where the stored audit says so; an imported number was not.
 */
export function confirmedPhones(names: Names, dialect: SqlBackend): Constructor<Migration> {
  const { optionalTime } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const [users, authenticators] = [names.users, names.authenticators].map(name => this.quote(name));
      const operations = phoneOperations.map(name => `'${name}'`).join(', ');
      const lastOf = (audit: string) =>
        `(select operation from ${audit}
            where subject = ${users}.id and outcome = 'ok' and operation in (${operations})
            order by id desc limit 1)`;
      const recorded = names.audit === undefined ? 'null' : lastOf(this.quote(names.audit));
      this.addSql(`alter table ${users} add column phone_confirmed_at ${optionalTime}`);
      this.addSql(
        `update ${users} set phone_confirmed_at = updated_at
           where is_mfa_enabled = ${dialect === 'postgresql' ? 'true' : '1'} and phone_number is not null and (
             not exists (select 1 from ${authenticators} where user_id = ${users}.id and kind = 'totp')
             or 'confirmPhoneSetup' = ${recorded})`,
      );
    }
  };
}
