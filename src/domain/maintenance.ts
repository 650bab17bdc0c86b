import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { featurePurges } from '../feature-parts.ts';
import { dayMs } from '../outgoing/job.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { type TableName, tableNames, type tables } from '../tables/index.ts';

/** The tables whose rows are purged in a way of their own. */
type Special = 'oauth_states' | 'outbox' | 'rate_limits';

/** The tables whose description says when a row ends. */
type Ending = { [N in TableName]: (typeof tables)[N] extends { ends: object } ? N : never }[TableName];

/** How many rows of each kind were removed. */
export type Purged = Record<Ending | Special | keyof typeof featurePurges, number>;

type Purges = Readonly<Record<string, (parts: PurgeParts) => Promise<number>>>;
const ofFeatures: Purges = featurePurges;

/** How long messages that were given up are kept for administrators, in milliseconds. */
const deadMs = 30 * dayMs;

/** The parts that a purge needs, those of features among them. */
export interface PurgeParts {
  config: Config;
  repositories: Repositories;
  /** Returns the time of so many days ago. */
  before(days: number): Date;
}

/**
 * Removes rows that expired more than a day ago (CONTRACT §4.5), results of external sign-ins that have expired, and what
 * features keep for a time of their own. Optional: no response depends on it.
 * @throws the first failure, after every other table has been purged
 */
export async function purgeExpired(
  parts: Pick<PurgeParts, 'config' | 'repositories'> & {
    clock: Clock;
    /** Returns the time by the clock of the database. */
    databaseNow: () => Promise<Date>;
  },
): Promise<Purged> {
  const { config, repositories } = parts;
  const { oauth_states, outbox, rate_limits, rows } = repositories;
  // Uses the earlier of two clocks, so that a wrong one removes nothing that still counts.
  const now = Math.min(parts.clock.now().getTime(), (await parts.databaseNow()).getTime());
  const ago = (ms: number) => new Date(now - ms);
  const before = (days: number) => ago(days * dayMs);
  const special: Record<Special, () => Promise<number>> = {
    // The result of a finished sign-in is removed as soon as it has expired.
    oauth_states: () => oauth_states.purge(ago(dayMs), ago(0)),
    outbox: () => outbox.purge(ago(deadMs)),
    rate_limits: () => rate_limits.purge(ago(dayMs)),
  };
  const isSpecial = (name: string): name is Special => Object.hasOwn(special, name);
  const purge = (name: TableName) =>
    isSpecial(name)
      ? special[name]()
      : (ofFeatures[name]?.({ config, repositories, before }) ??
        rows.purgeEnded(name, ago(0), config.loginLockoutWindowSeconds));
  const purged: [TableName, number][] = [];
  const failures: unknown[] = [];
  for (const name of tableNames) {
    try {
      const count = await purge(name);
      if (count !== null) purged.push([name, count]);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return Object.fromEntries(purged) as Purged;
}
