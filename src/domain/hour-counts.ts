import type { Clock } from '../clock.ts';
import type { EventHub } from '../events.ts';
import { LateAnswer, storageErrorOf } from '../storage/errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { type HourCount, type HourCountKind, hourCountKinds } from '../tables/hour-count.ts';
import type { Background } from './background.ts';
import type { LifeCycleHooks } from './life-cycle.ts';

const hourMs = 3_600_000;

/** How long counts are gathered before they are stored, in milliseconds: a flood of refusals is a few writes. */
const gatherMs = 5000;

/** The reasons of refusals by a lockout. */
const lockouts = new Set<string | null>(['account_locked', 'LOCKED']);

export interface HourTotals {
  /** When the first hour of them began. */
  since: Date;
  of: Record<HourCountKind, number>;
}

export type HourCounts = ReturnType<typeof createHourCounts>;

const hourOf = (time: Date) => new Date(Math.floor(time.getTime() / hourMs) * hourMs);

/**
 * Counts sign-ins, refused acts and those that a lockout refused, by the hour. No request waits for it; a process that is
 * killed loses the counts of its last seconds.
 */
export function createHourCounts(parts: {
  clock: Clock;
  background: Background;
  events: EventHub;
  repositories: Pick<Repositories, 'hour_counts'>;
}) {
  const { clock, background, repositories } = parts;
  let gathered = new Map<string, HourCount>();
  let isScheduled = false;
  let storing: Promise<unknown> = Promise.resolve();

  const gather = (row: HourCount) =>
    gathered.set(row.id, { ...row, count: row.count + (gathered.get(row.id)?.count ?? 0) });

  function add(kind: HourCountKind): void {
    const hour = hourOf(clock.now());
    gather({ id: `${hour.toISOString()}/${kind}`, hour, kind, count: 1 });
    if (isScheduled) return;
    isScheduled = true;
    background.runLater('hour counts', gatherMs, store);
  }

  /** Stores a count. One that cannot be stored is stored with the next ones, unless it may be stored nevertheless. */
  const storeOne = (row: HourCount) =>
    repositories.hour_counts.add(row).catch(error => {
      if (!(storageErrorOf(error) instanceof LateAnswer)) gather(row);
    });

  /** Stores the counts, after those that are being stored. */
  async function store(): Promise<void> {
    isScheduled = false;
    const rows = [...gathered.values()];
    gathered = new Map();
    storing = Promise.all([storing, ...rows.map(storeOne)]);
    await storing;
  }

  parts.events.on('audit', ({ outcome, reason, by }) => {
    if (outcome !== 'refused' || by === 'cli') return;
    add('refusals');
    if (lockouts.has(reason)) add('lockouts');
  });

  const hooks: LifeCycleHooks = { sessionStarting: async () => add('sign_ins') };

  return {
    hooks,
    /** Returns the totals of the last 24 hours: the present one and the 23 before it. */
    async read(): Promise<HourTotals> {
      await store();
      const since = new Date(hourOf(clock.now()).getTime() - 23 * hourMs);
      const rows = await repositories.hour_counts.listSince(since);
      const totalOf = (kind: HourCountKind) =>
        rows.reduce((sum, row) => sum + (row.kind === kind ? row.count : 0), 0);
      const of = Object.fromEntries(hourCountKinds.map(kind => [kind, totalOf(kind)]));
      return { since, of: of as HourTotals['of'] };
    },
  };
}
