import type { OutboxKind } from '../tables/outbox-message.ts';
import type { Payload } from './payload.ts';

/** A job before it is stored. */
export interface NewJob {
  kind: OutboxKind;
  purpose: string;
  /** A part of the recipient, by which administrators find a message. */
  recipient: string;
  /** The queue of a webhook or of a durable handler; absent for emails and text messages. */
  queue?: string | undefined;
  payload: Payload;
}

/** A stored job that this process has claimed. */
export interface Job {
  id: string;
  kind: OutboxKind;
  purpose: string;
  lease: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  payload: Payload;
  /** When it was stored and when it is given up, by the monotonic clock of the process, in milliseconds. */
  storedAt: number;
  endsAt: number;
}

/** Handles a claimed job: completes it, releases it, or makes it a dead letter. */
export type JobHandler = (job: Job) => Promise<void>;

/** How long a message is tried, unless its own lifetime is shorter, in milliseconds (CONTRACT §12.1). */
export const dayMs = 86_400_000;

/** How long deliveries to webhooks and durable handlers are kept, in milliseconds: administrators can retry them that long. */
export const monthMs = 30 * dayMs;

/** Returns how long a job is tried, in milliseconds. */
export const lifetimeOf = ({ lifetimeMs = dayMs, isLasting }: Payload) =>
  isLasting ? monthMs : Math.min(lifetimeMs, dayMs);
