import { randomUUID } from 'node:crypto';
import type { OutboxMessage } from '../entities/outbox-message.ts';
import type { OutboxRows } from '../storage/repositories/outbox.ts';

/** How many messages of one lane a process delivers at once (CONTRACT §12.1 and §12.2). */
const mostInFlight = 4;

/** What a lane delivers, beside its name. */
export interface LaneOptions {
  /** Only messages of these purposes, asked for at each look; every one when absent. */
  purposes?: (() => string[]) | undefined;
  /** Asked before messages are leased; false leaves them where they are. */
  prepare?: (() => Promise<boolean>) | undefined;
}

interface LaneParts extends LaneOptions {
  rows: OutboxRows;
  leaseMs: number;
  /** Whether messages that others have stored are leased, too. */
  polls: boolean;
  /** Handles a row that was leased, for which a turn was taken. */
  open(row: OutboxMessage, lane: Lane): void;
  /** Called when nothing is under way any more. */
  whenIdle(): void;
  report(error?: unknown): void;
}

/**
 * Messages that are delivered apart from all others, so that they hold up none of those and are held up by none: emails and
 * text messages, each webhook, each durable handler.
 */
export class Lane {
  readonly name: string | null;
  readonly #parts: LaneParts;
  #inFlight = 0;
  #isMoreDue = false;
  #isFilling = false;
  #isClosing = false;

  constructor(name: string | null, parts: LaneParts) {
    this.name = name;
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0 || this.#isFilling;
  }

  /** Begins nothing more from here on. */
  close(): void {
    this.#isClosing = true;
  }

  /** Takes one of the turns of this process. Returns false when none is free, or when the process is stopping. */
  takeTurn(): boolean {
    if (this.#isClosing || this.#inFlight >= mostInFlight) return false;
    this.#inFlight++;
    return true;
  }

  endTurn(): void {
    this.#inFlight--;
    void this.#fill();
    if (!this.isBusy) this.#parts.whenIdle();
  }

  lookForMore(): void {
    this.#isMoreDue = true;
    void this.#fill();
  }

  /** Leases what is due, as long as turns are free. */
  async #fill(): Promise<void> {
    if (this.#isFilling || !this.#parts.polls) return;
    this.#isFilling = true;
    while (this.#isMoreDue && !this.#isClosing && this.#inFlight < mostInFlight) {
      // What is stored from here on sets it again.
      this.#isMoreDue = false;
      await this.#lease().then(
        () => this.#parts.report(),
        error => this.#parts.report(error),
      );
    }
    this.#isFilling = false;
    if (!this.isBusy) this.#parts.whenIdle();
  }

  async #lease(): Promise<void> {
    const { rows, leaseMs, purposes, prepare, open } = this.#parts;
    if (prepare && !(await prepare())) return;
    const free = mostInFlight - this.#inFlight;
    this.#inFlight += free;
    let found: OutboxMessage[] = [];
    try {
      const share = { lane: this.name, purposes: purposes?.() };
      found = await rows.claim(randomUUID(), leaseMs, free, share);
    } finally {
      this.#inFlight -= free - found.length;
    }
    this.#isMoreDue ||= found.length === free;
    for (const row of found) open(row, this);
  }
}
