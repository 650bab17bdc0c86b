/** What became of deliveries since the start: those that succeeded, tries that failed, and those given up. */
export interface OutcomeCounts {
  taken: number;
  failed: number;
  dead: number;
}

/** Counts the outcomes of deliveries by the name of their target, for metrics. */
export class Outcomes {
  readonly #counts = new Map<string, OutcomeCounts>();

  /** Begins to count for a target, so that its counts are there before anything is delivered. */
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
