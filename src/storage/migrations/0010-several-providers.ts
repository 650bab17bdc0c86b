import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import { type IdentityIssuers, superseded } from '../../tables/oauth-identity.ts';
import type { SqlBackend } from './step.ts';
import { TableMigration } from './tables.ts';

/**
 * Several identity providers (CONTRACT §13): what a provider said about the sign-in, and how recent a flow wants it. The
 * columns may be omitted, as the former version does. Identities that a version without issuers stored after step 0004,
 * while both ran, get the issuer of their provider now; one whose subject was linked again since gets one that signs nobody
 * in, so that it is not taken for an identity of another issuer later.
 */
export function severalProviders(
  names: TableNames,
  dialect: SqlBackend,
  issuers: IdentityIssuers,
): Constructor<Migration> {
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const platform = this.driver.getPlatform();
      const identities = this.quote(names.oauth_identities);
      const number = dialect === 'postgresql' ? 'double precision' : 'double';
      this.addSql(`alter table ${this.quote(names.oauth_states)} add column max_age ${number} null`);
      this.addSql(`alter table ${identities} add column acr text null`);
      this.addSql(`alter table ${identities} add column amr text null`);
      for (const [provider, issuer] of Object.entries(issuers)) {
        const [name, value] = [platform.quoteValue(provider), platform.quoteValue(issuer)];
        const isTaken = `exists (select 1 from ${identities} other where other.issuer = ${value} and other.subject_id = ${identities}.subject_id)`;
        this.addSql(
          `update ${identities} set issuer = ${value} where provider = ${name} and issuer = '' and not ${isTaken}`,
        );
        this.addSql(
          `update ${identities} set issuer = ${platform.quoteValue(superseded)} where provider = ${name} and issuer = ''`,
        );
      }
    }
  };
}
