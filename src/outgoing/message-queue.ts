import type { OutboxKind } from '../tables/outbox-message.ts';

/** How messages of one kind are delivered, in memory or from the database. */
export interface Delivery<M> {
  /** The name of a message in the log: `email`. */
  noun: string;
  /** Sends a message that was accepted so many milliseconds ago. @throws {DeliveryError} from Gatehouse's own senders */
  send(message: M, ageMs: number): Promise<void>;
  /** Returns the fields that the log may contain about a recipient: a part that does not identify a person. */
  describe(message: M): object;
  /** Called once with each message that could not be stored, is given up, dropped, or lost at shutdown. */
  onUndelivered?(message: M): Promise<void>;
}

/** Accepts messages of one kind and delivers them. Services depend on this alone. */
export interface MessageQueue<M> {
  readonly state: QueueState;
  /**
   * Accepts a message and resolves when it is queued (stored, with stored deliveries), without waiting for its delivery.
   * `purpose` (`verification`) identifies it in the log. It is given up after `lifetimeMs`, when its link has expired.
   * @throws {GatehouseError} unavailable, when the message cannot be stored
   */
  enqueue(purpose: string, message: M, options?: EnqueueOptions): Promise<void>;
  /** Graceful shutdown: accepts no further messages and waits up to `timeoutMs` for those that are being sent. */
  drain(timeoutMs: number): Promise<Drained>;
  /** Resolves when nothing is being sent and nothing could be sent now. Messages that wait for a retry stay. */
  settled(): Promise<void>;
}

/** The messages that a process leaves when it ends. */
export interface Drained {
  undelivered: number;
  /** Of a command: the ids of those that nothing tries again; absent where there are none. */
  givenUp?: string[];
}

export interface EnqueueOptions {
  lifetimeMs?: number | undefined;
  /** The task that makes the message. The message replaces the task in its row, so that one of the two is always stored. */
  replaces?: ClaimedTask | undefined;
}

/** A stored task that this process has claimed. It makes at most one message. */
export interface ClaimedTask {
  readonly id: string;
  readonly kind: OutboxKind;
  readonly lease: string;
  /** Whether a message has taken its row. */
  isReplaced: boolean;
}

/** The state and counts of a message queue since it was created. */
export interface QueueState {
  /** Messages of this process that are neither delivered nor given up, including those being sent. */
  waiting: number;
  sent: number;
  /** Messages given up, or dropped because the queue was full. */
  failed: number;
  /**
   * The error code of the latest attempt and its age; null when the latest attempt succeeded. Refusals of one recipient do not
   * count.
   */
  failing: { code: string; secondsAgo: number } | null;
}
