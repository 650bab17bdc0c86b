import type { Clock } from '../clock.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import { addressOf, knownPlaces, type Lockout } from './lockout.ts';
import { slotOf } from './sliding-count.ts';

/** How many locked addresses a list shows at most, the newest first. */
const mostListed = 1000;
/** How many subjects an address has at most: guesses from known places have one of their own. */
const mostSubjects = 2;

/** Addresses that are locked now. */
export interface LockedAddresses {
  addresses: string[];
  /** Whether there may be more. */
  isCapped: boolean;
}

export type Locks = ReturnType<typeof createLocks>;

/** Which addresses the lockout refuses at the moment, for administration. */
export function createLocks(
  { attempts }: Pick<Repositories, 'attempts'>,
  clock: Clock,
  { ofLogins: bound, isOff, subjectsOf }: Pick<Lockout, 'ofLogins' | 'isOff' | 'subjectsOf'>,
) {
  const windowMs = bound.windowSeconds * 1000;

  /**
   * Returns the rows that count now, by their subject, in the order in which subjects come first. Guesses from known places
   * have a subject of their own, and an address may have both.
   */
  function countingBySubject(rows: readonly LoginAttempt[]): Map<string, LoginAttempt[]> {
    const now = clock.now().getTime();
    const counting = rows.filter(
      row => row.settled && slotOf(row) < bound.limit && now - row.when.getTime() < windowMs,
    );
    return Map.groupBy(counting, row => row.subject);
  }

  /** Returns when the first of all slots is free again; null while one is. A time in the future counts as of now. */
  function endOf(rows: readonly LoginAttempt[]): Date | null {
    if (rows.length < bound.limit) return null;
    const oldest = Math.min(clock.now().getTime(), ...rows.map(row => row.when.getTime()));
    return new Date(oldest + windowMs);
  }

  return {
    /** Returns until when each of these addresses is locked, for some or for all; one that is not is absent. */
    async readUntil(addresses: readonly string[]): Promise<Map<string, Date>> {
      if (isOff || addresses.length === 0) return new Map();
      const rows = await attempts.listOf(subjectsOf(addresses));
      const until = new Map<string, Date>();
      for (const [subject, own] of countingBySubject(rows)) {
        const [address, end] = [addressOf(subject), endOf(own)];
        const other = address === null ? undefined : until.get(address);
        if (address !== null && end && (!other || end > other)) until.set(address, end);
      }
      return until;
    },

    /**
     * Returns the locked addresses, those that were locked last first. Within a window after the threshold was lowered, an
     * address may be among them of which `readUntil` says nothing, because slots beyond the threshold are counted.
     */
    async list(): Promise<LockedAddresses> {
      if (isOff) return { addresses: [], isCapped: false };
      const since = new Date(clock.now().getTime() - windowMs);
      const limit = mostSubjects * mostListed + 1;
      const full = await attempts.listFull(since, { least: bound.limit, prefix: knownPlaces, limit });
      const locked = [...new Set(full.flatMap(subject => addressOf(subject) ?? []))];
      return { addresses: locked.slice(0, mostListed), isCapped: locked.length > mostListed };
    },
  };
}
