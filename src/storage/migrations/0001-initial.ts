import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** The seven records of SPEC §2.1 and §2.3. */
export function initial(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, time, optionalTime, flag, whole } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.table(names.users, 'id', {
        id: text,
        email: text,
        full_name: optionalText,
        hashed_password: optionalText,
        phone_number: optionalText,
        is_active: flag,
        is_verified: flag,
        is_superuser: flag,
        is_mfa_enabled: flag,
        created_at: time,
        updated_at: time,
        last_login: optionalTime,
        tokens_invalidated_after: optionalTime,
        last_issued_at: optionalTime,
      });
      this.unique(names.users, 'email');

      this.table(names.pending, 'email', {
        email: text,
        token_hash: text,
        user_id: optionalText,
        hashed_password: optionalText,
        full_name: optionalText,
        created_at: time,
        expires_at: time,
      });
      this.unique(names.pending, 'token_hash');
      this.index(names.pending, 'expires_at');

      this.table(names.blacklist, 'jti', { jti: text, exp: time });
      this.index(names.blacklist, 'exp');

      this.table(names.attempts, 'id', {
        id: text,
        email: text,
        when: time,
        ip: optionalText,
        settled: flag,
      });
      this.index(names.attempts, 'when');
      this.index(names.attempts, 'email', 'when');

      this.table(names.mfa_codes, 'id', {
        id: text,
        user_id: text,
        kind: text,
        phone_number: text,
        code_hash: text,
        attempts: whole,
        created_at: time,
        expires_at: time,
      });
      this.index(names.mfa_codes, 'user_id');
      this.index(names.mfa_codes, 'expires_at');

      this.table(names.oauth_states, 'id', {
        id: text,
        provider: text,
        mode: text,
        code_verifier: text,
        nonce: text,
        redirect_to: text,
        code_challenge: optionalText,
        linking_user_id: optionalText,
        linking_session: optionalText,
        result_token: optionalText,
        was_new_account: flag,
        created_at: time,
        expires_at: time,
      });
      this.index(names.oauth_states, 'expires_at');

      this.table(names.oauth_identities, 'id', {
        id: text,
        provider: text,
        subject_id: text,
        user_id: text,
        email: optionalText,
        linked_at: time,
        last_used_at: optionalTime,
      });
      this.unique(names.oauth_identities, 'provider', 'subject_id');
      this.unique(names.oauth_identities, 'user_id', 'provider');

      // Instances with other table names may share this function.
      this.addSql(
        `create table if not exists ${this.quote(names.rate_limits)} (${this.quote('key')} ${text}, ${this.quote('points')} ${whole}, ${this.quote('expire')} bigint null, primary key (${this.quote('key')}))`,
      );
    }
  };
}
