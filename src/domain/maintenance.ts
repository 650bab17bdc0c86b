import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { dayMs } from '../outgoing/job.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { type TableName, tableNames, type tables } from '../tables/index.ts';

/** The tables whose rows are purged in a way of their own. */
type Special = 'oauth_states' | 'outbox' | 'audit' | 'rate_limits';

/** The tables whose description says when a row ends. */
type Ending = { [N in TableName]: (typeof tables)[N] extends { ends: object } ? N : never }[TableName];

/** How many rows of each kind were removed. */
export type Purged = Record<Ending | Special, number>;

/** How long messages that were given up are kept for administrators, in milliseconds. */
const deadMs = 30 * dayMs;

/**
 * Removes rows that expired more than a day ago (CONTRACT §4.5), results of external sign-ins that have expired, and audit
 * records beyond `audit_retention_days`. Optional: no response depends on it.
 */
export async function purgeExpired(parts: {
  clock: Clock;
  config: Pick<Config, 'loginLockoutWindowSeconds' | 'auditRetentionDays'>;
  repositories: Repositories;
  /** Returns the time by the clock of the database. */
  databaseNow: () => Promise<Date>;
}): Promise<Purged> {
  const { oauth_states, outbox, audit, rate_limits, rows } = parts.repositories;
  // Uses the earlier of two clocks, so that a wrong one removes nothing that still counts.
  const now = Math.min(parts.clock.now().getTime(), (await parts.databaseNow()).getTime());
  const ago = (ms: number) => new Date(now - ms);
  const { loginLockoutWindowSeconds, auditRetentionDays } = parts.config;
  const special: Record<Special, () => Promise<number>> = {
    // The result of a finished sign-in is removed as soon as it has expired.
    oauth_states: () => oauth_states.purge(ago(dayMs), ago(0)),
    outbox: () => outbox.purge(ago(deadMs)),
    audit: () => audit.purge(ago(auditRetentionDays * dayMs)),
    rate_limits: () => rate_limits.purge(ago(dayMs)),
  };
  const isSpecial = (name: string): name is Special => Object.hasOwn(special, name);
  const purged: [TableName, number][] = [];
  for (const name of tableNames) {
    const count = isSpecial(name)
      ? await special[name]()
      : await rows.purgeEnded(name, ago(0), loginLockoutWindowSeconds);
    if (count !== null) purged.push([name, count]);
  }
  return Object.fromEntries(purged) as Purged;
}
