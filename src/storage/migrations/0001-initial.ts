import type { Constructor } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { EntityNames } from '../../entities/index.ts';
import { rateLimitTable } from '../../entities/rate-limit.ts';
import type { SqlBackend } from './index.ts';

type Columns = Record<string, string>;

/** The seven records of SPEC §2.1 and §2.3. */
export function initial(names: EntityNames, dialect: SqlBackend): Constructor<Migration> {
  return class extends Migration {
    override up(): void {
      const postgresql = dialect === 'postgresql';
      const text = 'text not null';
      const optionalText = 'text null';
      const time = postgresql ? 'timestamptz(3) not null' : 'datetime not null';
      const optionalTime = postgresql ? 'timestamptz(3) null' : 'datetime null';
      const flag = postgresql ? 'boolean not null' : 'integer not null';
      const whole = postgresql ? 'int not null' : 'integer not null';

      this.#table(names.user, 'id', {
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
      this.#unique(names.user, 'email');

      this.#table(names.pending, 'email', {
        email: text,
        token_hash: text,
        user_id: optionalText,
        hashed_password: optionalText,
        full_name: optionalText,
        created_at: time,
        expires_at: time,
      });
      this.#unique(names.pending, 'token_hash');
      this.#index(names.pending, 'expires_at');

      this.#table(names.blacklist, 'jti', { jti: text, exp: time });
      this.#index(names.blacklist, 'exp');

      this.#table(names.loginAttempt, 'id', {
        id: text,
        email: text,
        when: time,
        ip: optionalText,
        settled: flag,
      });
      this.#index(names.loginAttempt, 'when');
      this.#index(names.loginAttempt, 'email', 'when');

      this.#table(names.mfaCode, 'id', {
        id: text,
        user_id: text,
        kind: text,
        phone_number: text,
        code_hash: text,
        attempts: whole,
        created_at: time,
        expires_at: time,
      });
      this.#index(names.mfaCode, 'user_id');
      this.#index(names.mfaCode, 'expires_at');

      this.#table(names.oauthState, 'id', {
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
      this.#index(names.oauthState, 'expires_at');

      this.#table(names.oauthIdentity, 'id', {
        id: text,
        provider: text,
        subject_id: text,
        user_id: text,
        email: optionalText,
        linked_at: time,
        last_used_at: optionalTime,
      });
      this.#unique(names.oauthIdentity, 'provider', 'subject_id');
      this.#unique(names.oauthIdentity, 'user_id', 'provider');

      // Instances with other names in the same database share this one.
      this.addSql(
        `create table if not exists ${this.#quote(rateLimitTable)} (${this.#quote('key')} ${text}, ${this.#quote('points')} ${whole}, ${this.#quote('expire')} bigint null, primary key (${this.#quote('key')}))`,
      );
    }

    #quote(name: string): string {
      return this.driver.getPlatform().quoteIdentifier(name);
    }

    #table(table: string, primaryKey: string, columns: Columns): void {
      const parts = Object.entries(columns).map(([name, type]) => `${this.#quote(name)} ${type}`);
      this.addSql(
        `create table ${this.#quote(table)} (${parts.join(', ')}, primary key (${this.#quote(primaryKey)}))`,
      );
    }

    #index(table: string, ...columns: string[]): void {
      this.#createIndex('index', table, columns);
    }

    #unique(table: string, ...columns: string[]): void {
      this.#createIndex('unique', table, columns);
    }

    #createIndex(kind: 'index' | 'unique', table: string, columns: string[]): void {
      const name = this.#quote(this.driver.getPlatform().getIndexName(table, columns, kind));
      const list = columns.map(c => this.#quote(c)).join(', ');
      if (kind === 'index') this.addSql(`create index ${name} on ${this.#quote(table)} (${list})`);
      else if (dialect === 'sqlite')
        this.addSql(`create unique index ${name} on ${this.#quote(table)} (${list})`);
      else this.addSql(`alter table ${this.#quote(table)} add constraint ${name} unique (${list})`);
    }
  };
}
