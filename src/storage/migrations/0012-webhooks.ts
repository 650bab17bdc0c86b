import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { TableNames } from '../../tables/index.ts';
import type { SqlBackend } from './step.ts';
import { columnTypes, TableMigration } from './tables.ts';

/** A feature that the project is built without has no table. */
type Names = Pick<TableNames, 'outbox'> & { webhook_endpoints?: string };

/**
 * Webhooks and durable handlers (CONTRACT §12.2 and §15.4). The former version writes no lane, which is that of emails and
 * text messages; what is in another lane it leases, does not know, and leaves alone for a minute.
 */
export function webhooks(names: Names, dialect: SqlBackend): Constructor<Migration> {
  const { text, optionalText, optionalTime } = columnTypes(dialect);
  return class extends TableMigration {
    protected override readonly dialect = dialect;

    override up(): void {
      this.addSql(`alter table ${this.quote(names.outbox)} add column lane text null`);
      this.index(names.outbox, 'lane', 'next_attempt_at');
      if (names.webhook_endpoints === undefined) return;
      this.table(names.webhook_endpoints, 'id', {
        id: text,
        failing_since: optionalTime,
        off_at: optionalTime,
        off_reason: optionalText,
      });
    }
  };
}
