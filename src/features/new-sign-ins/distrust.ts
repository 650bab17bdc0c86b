import type { User } from '../../tables/user.ts';

/** How much earlier than the act that is reported distrust begins: clocks of processes and databases differ. */
const marginMs = 5 * 60_000;

/** Returns since when an account distrusts what was added, once an act of this time is reported. The earliest report counts. */
export function distrustAfter({ distrustedSince }: User, actAt: Date): Date {
  const since = new Date(actAt.getTime() - marginMs);
  return distrustedSince !== null && distrustedSince < since ? distrustedSince : since;
}
