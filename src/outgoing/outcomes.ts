/** Counts of deliveries since the start: deliveries that succeeded, attempts that failed, and dead letters. */
export type OutcomeCounts = Record<'taken' | 'failed' | 'dead', number>;

/** Counts the outcomes of deliveries by the name of their target, for metrics. */
export class Outcomes {
  readonly #counts = new Map<string, OutcomeCounts>();

  /** Starts the counts of a target at 0, so that metrics show them before its first delivery. */
  open(name: string): void {
    if (!this.#counts.has(name)) this.#counts.set(name, { taken: 0, failed: 0, dead: 0 });
  }

  count(name: string, outcome: keyof OutcomeCounts): void {
    this.open(name);
    this.#counts.get(name)![outcome]++;
  }

  get counts(): Record<string, OutcomeCounts> {
    return Object.fromEntries(this.#counts);
  }
}
