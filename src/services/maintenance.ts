import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/** How many rows of each kind were removed. */
export interface Purged {
  pending: number;
  blacklist: number;
  attempts: number;
  mfa_codes: number;
  oauth_states: number;
  rate_limits: number;
}

/** Rows stay a day beyond their end (CONTRACT §4.5), so that a wrong clock removes nothing that still counts. */
const graceMs = 86_400_000;

/** Removes what ended more than a day ago. Optional hygiene: no answer depends on it. */
export async function purgeExpired(parts: {
  clock: Clock;
  config: Config;
  repositories: Repositories;
}): Promise<Purged> {
  const { pending, blacklist, attempts, mfa_codes, oauth_states, rate_limits } = parts.repositories;
  const before = new Date(parts.clock.now().getTime() - graceMs);
  const windowMs = parts.config.loginLockoutWindowSeconds * 1000;
  return {
    pending: await pending.purge(before),
    blacklist: await blacklist.purge(before),
    attempts: await attempts.purge(new Date(before.getTime() - windowMs)),
    mfa_codes: await mfa_codes.purge(before),
    oauth_states: await oauth_states.purge(before),
    rate_limits: await rate_limits.purge(before),
  };
}
