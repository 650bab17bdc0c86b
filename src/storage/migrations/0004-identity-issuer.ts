import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { IdentityIssuers } from '../../tables/oauth-identity.ts';
import type { SqlBackend } from './step.ts';

/**
 * External identities are keyed by issuer and subject, and can be marked while they are being removed. Both columns have
 * a default, so that the former version can still insert rows.
 */
export function identityIssuer(
  names: TableNames,
  dialect: SqlBackend,
  issuers: IdentityIssuers,
): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const platform = this.driver.getPlatform();
      const table = platform.quoteIdentifier(names.oauth_identities);
      const unique = (...columns: string[]) =>
        platform.quoteIdentifier(platform.getIndexName(names.oauth_identities, columns, 'unique'));
      const bySubject = unique('provider', 'subject_id');
      const byIssuer = unique('issuer', 'subject_id');

      this.addSql(`alter table ${table} add column issuer text not null default ''`);
      this.addSql(`alter table ${table} add column unlinking text null`);
      for (const [provider, issuer] of Object.entries(issuers)) {
        const [name, value] = [platform.quoteValue(provider), platform.quoteValue(issuer)];
        this.addSql(`update ${table} set issuer = ${value} where provider = ${name}`);
      }
      if (dialect === 'sqlite') {
        this.addSql(`drop index ${bySubject}`);
        this.addSql(`create unique index ${byIssuer} on ${table} (issuer, subject_id)`);
      } else {
        this.addSql(`alter table ${table} drop constraint ${bySubject}`);
        this.addSql(`alter table ${table} add constraint ${byIssuer} unique (issuer, subject_id)`);
      }
    }
  };
}
