import { randomUUID } from 'node:crypto';
import type { OutboxRows } from '../storage/repositories/outbox.ts';
import type { OutboxKind, OutboxMessage } from '../tables/outbox-message.ts';

/** How many jobs of one queue a process runs at once (CONTRACT §12.1 and §12.2). */
const concurrency = 4;

export interface JobQueueOptions {
  /** The kinds of jobs that it has; all kinds when absent. */
  kinds?: OutboxKind[] | undefined;
  /** Returns the purposes of which jobs are claimed, asked before each claim; all purposes when absent. */
  purposes?: (() => string[]) | undefined;
  /** Called before jobs are claimed. Nothing is claimed when it returns false. */
  prepare?: (() => Promise<boolean>) | undefined;
}

interface JobQueueParts extends JobQueueOptions {
  rows: OutboxRows;
  leaseMs: number;
  /** Whether this process claims jobs that others have stored, too. */
  polls: boolean;
  /** Runs a claimed job. Its slot is taken already. */
  run(row: OutboxMessage, queue: JobQueue): void;
  /** Called when the queue has become idle. */
  onIdle(): void;
  /** Called after each claim: with its error, or with none. */
  report(error?: unknown): void;
}

/**
 * A named queue of stored jobs with a concurrency of its own, so that queues do not delay each other. Each webhook and each
 * durable handler has one. Emails and text messages have the name null and a queue each: a code must not wait until a mail
 * server that is silent has answered.
 */
export class JobQueue {
  readonly name: string | null;
  readonly #parts: JobQueueParts;
  #takenSlots = 0;
  #isMoreDue = false;
  #isClaiming = false;
  #isClosing = false;

  constructor(name: string | null, parts: JobQueueParts) {
    this.name = name;
    this.#parts = parts;
  }

  /** Whether a job is of this queue. */
  takes({ kind, queue = null }: { kind: OutboxKind; queue?: string | null | undefined }): boolean {
    return queue === this.name && (this.#parts.kinds?.includes(kind) ?? true);
  }

  get isBusy(): boolean {
    return this.#takenSlots > 0 || this.#isClaiming;
  }

  /** Starts no further jobs. */
  close(): void {
    this.#isClosing = true;
  }

  /** Takes a slot for one job. Returns false when all are taken, or when the queue is closing. */
  takeSlot(): boolean {
    if (this.#isClosing || this.#takenSlots >= concurrency) return false;
    this.#takenSlots++;
    return true;
  }

  releaseSlot(): void {
    this.#takenSlots--;
    void this.#claimDue();
    if (!this.isBusy) this.#parts.onIdle();
  }

  /** Claims jobs that are due now. */
  wake(): void {
    this.#isMoreDue = true;
    void this.#claimDue();
  }

  /** Claims due jobs as long as slots are free. */
  async #claimDue(): Promise<void> {
    if (this.#isClaiming || !this.#parts.polls) return;
    this.#isClaiming = true;
    while (this.#isMoreDue && !this.#isClosing && this.#takenSlots < concurrency) {
      // A job that is stored during the claim sets it again.
      this.#isMoreDue = false;
      await this.#claim().then(
        () => this.#parts.report(),
        error => this.#parts.report(error),
      );
    }
    this.#isClaiming = false;
    if (!this.isBusy) this.#parts.onIdle();
  }

  async #claim(): Promise<void> {
    const { rows, leaseMs, kinds, purposes, prepare, run } = this.#parts;
    if (prepare && !(await prepare())) return;
    const free = concurrency - this.#takenSlots;
    this.#takenSlots += free;
    let claimed: OutboxMessage[] = [];
    try {
      const from = { queue: this.name, kinds, purposes: purposes?.() };
      claimed = await rows.claim(randomUUID(), leaseMs, free, from);
    } finally {
      this.#takenSlots -= free - claimed.length;
    }
    this.#isMoreDue ||= claimed.length === free;
    for (const row of claimed) run(row, this);
  }
}
