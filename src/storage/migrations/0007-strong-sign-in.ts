import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/**
 * Authenticators, recovery codes, challenges and session records (CONTRACT §9 and §10). Only tables are added: the former
 * version neither reads nor writes them.
 */
export function strongSignIn(names: TableNames, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, time, optionalTime, flag, whole, number } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.table(names.authenticators, 'id', {
        id: text,
        user_id: text,
        slot: text,
        kind: text,
        name: text,
        created_at: time,
        last_used_at: optionalTime,
        secret: optionalText,
        last_step: number,
        credential_id: text,
        public_key: optionalText,
        user_handle: optionalText,
        sign_count: number,
        transports: optionalText,
        is_synced: flag,
      });
      this.index(names.authenticators, 'user_id');
      this.unique(names.authenticators, 'slot');
      this.unique(names.authenticators, 'credential_id');

      this.table(names.recovery_codes, 'user_id', {
        user_id: text,
        hashes: text,
        version: text,
        created_at: time,
      });

      this.table(names.challenges, 'id', {
        id: text,
        purpose: text,
        user_id: optionalText,
        bound_to: optionalText,
        value: optionalText,
        user_handle: optionalText,
        attempts: whole,
        created_at: time,
        expires_at: time,
      });
      this.index(names.challenges, 'user_id');
      this.index(names.challenges, 'expires_at');

      this.table(names.sessions, 'id', {
        id: text,
        user_id: text,
        created_at: time,
        last_seen_at: time,
        expires_at: time,
        ip: optionalText,
        user_agent: optionalText,
        device: optionalText,
        method: text,
      });
      this.index(names.sessions, 'user_id');
      this.index(names.sessions, 'expires_at');
    }
  };
}
