import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';

/** The pending token for which a texted code was sent; null if the version before this step stored the code. */
export function boundCodes(names: TableNames): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const table = this.driver.getPlatform().quoteIdentifier(names.mfa_codes);
      this.addSql(`alter table ${table} add column bound_to text null`);
    }
  };
}
