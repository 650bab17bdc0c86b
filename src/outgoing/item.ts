import type { Schedule } from '../clock.ts';
import type { DataEncryption } from '../crypto/data-key.ts';
import type { OutboxKind } from '../entities/outbox-message.ts';
import type { Logger } from '../logger.ts';
import type { OutboxRows } from '../storage/repositories/outbox.ts';
import type { Parcel } from './parcels.ts';

/** What is to be stored. */
export interface NewItem {
  kind: OutboxKind;
  purpose: string;
  /** A part of the recipient, for people who look for a message. */
  recipient: string;
  /** What it is delivered with, apart from everything else; emails and text messages have none. */
  lane?: string | undefined;
  parcel: Parcel;
}

/** A row that this process has leased, with its content. */
export interface Item {
  id: string;
  kind: OutboxKind;
  purpose: string;
  lease: string;
  /** How many tries were begun, this one included. */
  attempt: number;
  parcel: Parcel;
  /** By the monotonic clock of the process, in milliseconds: when it was stored, and when it is given up. */
  storedAt: number;
  endsAt: number;
}

/** Handles an item that is leased, until its row is deleted or its lease has ended. */
export type Handle = (item: Item) => Promise<void>;

export interface StoreParts {
  rows: OutboxRows;
  encryption: DataEncryption;
  logger: Logger;
  /** Whether it also sends what others have stored, or left: every server does, a command does not. */
  polls: boolean;
  schedule?: Schedule;
  /** A monotonic clock, in milliseconds. */
  now?: (() => number) | undefined;
}

/** How long a message is tried, unless its own lifetime is shorter, in milliseconds (CONTRACT §12.1). */
export const dayMs = 86_400_000;

/** How long what is no message is of use, in milliseconds: as long as administrators can have it tried. */
export const monthMs = 30 * dayMs;

/** Returns for how long a message is tried, in milliseconds. */
export const lifetimeOf = ({ lifetimeMs = dayMs, isLasting }: Parcel) =>
  isLasting ? monthMs : Math.min(lifetimeMs, dayMs);
