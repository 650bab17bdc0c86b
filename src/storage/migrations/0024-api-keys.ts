import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** A feature that the project may be built without. */
type Names = TableNames & { api_keys?: string };

/** API keys (CONTRACT §18). Only a table is added: the former version neither reads nor writes it. */
export function apiKeys(names: Names, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, time, optionalTime } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      const { api_keys: keys } = names;
      if (keys === undefined) return;
      this.table(keys, 'id', {
        ...{ id: text, owner_kind: text, owner_id: text, hash: text, hint: text, name: text },
        scopes: dialect === 'postgresql' ? 'jsonb not null' : 'json not null',
        ...{ created_at: time, expires_at: optionalTime, last_used_at: optionalTime },
        ...{ last_used_ip: optionalText, warned_at: optionalTime, slot: text },
      });
      this.unique(keys, 'hash');
      this.unique(keys, 'slot');
      this.index(keys, 'owner_kind', 'owner_id');
    }
  };
}
