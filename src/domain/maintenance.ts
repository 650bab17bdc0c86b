import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { dayMs } from '../outgoing/job.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { placeMs } from './new-sign-ins.ts';

/** How many rows of each kind were removed. */
export interface Purged {
  pending: number;
  blacklist: number;
  attempts: number;
  mfa_codes: number;
  oauth_states: number;
  challenges: number;
  sessions: number;
  outbox: number;
  audit: number;
  not_me_links: number;
  sign_in_places: number;
  rate_limits: number;
}

/**
 * Rows are kept for a day after their expiry (CONTRACT §4.5), so that a wrong clock removes nothing that still counts. In
 * milliseconds.
 */
const graceMs = dayMs;

/** How long messages that were given up are kept for administrators, in milliseconds. */
const deadMs = 30 * dayMs;

/**
 * Removes rows that expired more than a day ago, results of external sign-ins that have expired, and audit records beyond
 * `audit_retention_days`. Optional: no response depends on it.
 */
export async function purgeExpired(parts: {
  clock: Clock;
  config: Config;
  repositories: Repositories;
  /** Returns the time by the clock of the database. */
  databaseNow: () => Promise<Date>;
}): Promise<Purged> {
  const { pending, blacklist, attempts, mfa_codes, oauth_states, challenges, sessions } = parts.repositories;
  const { outbox, audit, not_me_links, sign_in_places, rate_limits } = parts.repositories;
  // Uses the earlier of two clocks, so that a wrong one removes nothing that still counts.
  const now = Math.min(parts.clock.now().getTime(), (await parts.databaseNow()).getTime());
  const before = new Date(now - graceMs);
  const windowMs = parts.config.loginLockoutWindowSeconds * 1000;
  return {
    pending: await pending.purge(before),
    blacklist: await blacklist.purge(before),
    attempts: await attempts.purge(new Date(before.getTime() - windowMs)),
    mfa_codes: await mfa_codes.purge(before),
    // The result of a finished sign-in is removed as soon as it has expired.
    oauth_states: await oauth_states.purge(before, new Date(now)),
    challenges: await challenges.purge(before),
    sessions: await sessions.purge(before),
    outbox: await outbox.purge(new Date(now - deadMs)),
    audit: await audit.purge(new Date(now - parts.config.auditRetentionDays * dayMs)),
    // The former password in it is kept no longer than the link works.
    not_me_links: await not_me_links.purge(new Date(now)),
    sign_in_places: await sign_in_places.purge(new Date(before.getTime() - placeMs)),
    rate_limits: await rate_limits.purge(before),
  };
}
