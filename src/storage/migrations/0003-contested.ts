import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';

/** Contested registrations (CONTRACT §2.2). Both columns may be omitted, as the former version does. */
export function contested(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const pending = this.driver.getPlatform().quoteIdentifier(names.pending);
      const [flag, time] = dialect === 'postgresql' ? ['boolean', 'timestamptz(3)'] : ['integer', 'datetime'];
      this.addSql(`alter table ${pending} add column is_contested ${flag} not null default false`);
      this.addSql(`alter table ${pending} add column claimed_at ${time} null`);
    }
  };
}
