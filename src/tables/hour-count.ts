import { defineTable, integer, type RowOf, text, time } from './define.ts';

/** How often something happened in an hour, in every process on the database, for the overview of administrators. */
export const hourCounts = defineTable({
  name: 'HourCount',
  setting: 'hour_count_collection',
  usualName: 'hour_counts',
  description: '… of counts by the hour, for the overview of administrators',
  columns: {
    /** The hour and the kind, so that there is one row of both. */
    id: text().key(),
    /** When the hour began. */
    hour: time().indexed(),
    kind: text<HourCountKind>(),
    count: integer(),
  },
  ends: { by: 'hour', keptSeconds: 2 * 86_400 },
});

export const hourCountKinds = ['sign_ins', 'refusals', 'lockouts'] as const;
export type HourCountKind = (typeof hourCountKinds)[number];
export type HourCount = RowOf<typeof hourCounts>;
