import { z } from 'zod';
import { OverviewView } from '../contract/views/overview.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { HourCounts } from '../domain/hour-counts.ts';
import { mostStored } from '../observability/metrics.ts';

interface OverviewParts {
  hourCounts: HourCounts;
  /** Return how many targets of deliveries are switched off. */
  switchedOff: readonly (() => Promise<number>)[];
}

/** The last 24 hours in numbers, for administrators. */
export function createOverview({ repositories, define }: Dependencies, parts: OverviewParts) {
  const { hourCounts, switchedOff } = parts;

  const overview = define(
    {
      name: 'adminOverview',
      at: 'GET /admin/overview',
      summary: 'The last 24 hours in numbers.',
      description: 'Counts are kept by the hour, for two days.',
      access: { kind: 'superuser' },
      input: z.strictObject({}),
      output: OverviewView,
      audited: false,
      errors: [],
    },
    async (): Promise<OverviewView> => {
      const [{ since, of }, dead_deliveries, off] = await Promise.all([
        hourCounts.read(),
        repositories.outbox.count({ state: 'dead' }, mostStored),
        Promise.all(switchedOff.map(read => read())),
      ]);
      const webhooks_off = off.reduce((sum, each) => sum + each, 0);
      return { since: since.toISOString(), ...of, dead_deliveries, webhooks_off };
    },
  );

  return { overview };
}
