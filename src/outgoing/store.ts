import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Schedule, scheduleInBackground, scheduleOnTimer } from '../clock.ts';
import type { OutboxMessage } from '../entities/outbox-message.ts';
import { loggable } from './delivery-error.ts';
import { type Handle, type Item, lifetimeOf, type NewItem, type StoreParts } from './item.ts';
import { Lane, type LaneOptions } from './lane.ts';
import { createParcels } from './parcels.ts';

/** How long a lease lasts, in milliseconds (CONTRACT §12.1). It is prolonged while the process that has it is sending. */
const leaseMs = 20_000;
/** How often a server looks for messages that others have left, in milliseconds, with jitter of up to a half. */
const pollMs = 5000;
/** How long a message that only a later version knows is left alone, in milliseconds. */
const unknownPauseMs = 60_000;

/**
 * Messages that wait in the database (CONTRACT §12.1). The process that stores a message sends it at once, under a lease; a
 * message whose process has died is sent by another when the lease has ended. The database's clock decides when.
 */
export class MessageStore {
  readonly #parts: StoreParts;
  readonly #parcels: ReturnType<typeof createParcels>;
  readonly #schedule: Schedule;
  readonly now: () => number;

  /** What handles a parcel, by its name. */
  readonly #handlers = new Map<string, Handle>();
  readonly #handled = new Map<string, Item>();
  /** Messages that were sent, and whose rows could not be deleted since. */
  readonly #leftovers = new Set<string>();
  readonly #lanes = new Map<string | null, Lane>();
  readonly #ending = new AbortController();
  #isClosing = false;
  #isReadable = true;
  #cancelPoll = () => {};
  #whenIdle: (() => void)[] = [];
  #drained: Promise<Item[]> | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#parcels = createParcels(parts.encryption);
    this.#schedule = parts.schedule ?? scheduleInBackground;
    this.now = parts.now ?? (() => performance.now());
    this.openLane(null);
    if (parts.polls) this.#pollLater();
  }

  /** Names what handles parcels of this name. */
  handle(by: string, handler: Handle): void {
    this.#handlers.set(by, handler);
  }

  /** Begins to deliver the messages of a lane; those of the lane null are delivered by every process. */
  openLane(name: string | null, { purposes, prepare }: LaneOptions = {}): void {
    const { rows, polls } = this.#parts;
    const lane = new Lane(name, {
      ...{ purposes, rows, leaseMs, polls },
      prepare: async () => {
        await this.#removeLeftovers();
        return (await prepare?.()) ?? true;
      },
      open: (row, lane) => void this.#open(row, lane),
      whenIdle: () => this.#endOfWork(),
      report: error => this.#reportReadable(error),
    });
    this.#lanes.set(name, lane);
  }

  /**
   * Stores a message and begins to send it, unless enough are being sent: then it waits for its turn. A command leaves what
   * is in a lane of its own to the service.
   */
  async add(item: NewItem): Promise<void> {
    const lane = this.#lanes.get(item.lane ?? null);
    const isTurn = (this.polls || item.lane === undefined) && (lane?.takeTurn() ?? false);
    const stored = await this.#insert(item, isTurn).catch(error => {
      if (isTurn) lane!.endTurn();
      throw error;
    });
    if (isTurn) void this.#start(stored as Item, lane!);
    else lane?.lookForMore();
  }

  /** Looks at once for what is due in a lane, where this process delivers it. */
  look(name: string): void {
    this.#lanes.get(name)?.lookForMore();
  }

  /** Stores a message that is given up already, for administrators. */
  async addDead({ parcel, ...item }: NewItem, why: string): Promise<void> {
    const id = uuidv7();
    const payload = this.#parcels.seal({ id, kind: item.kind }, parcel);
    const row = { id, ...item, payload, lease: null, dueInMs: 0, endsInMs: lifetimeOf(parcel) };
    await this.#parts.rows.addDead(row, why);
  }

  /** Stores work and leases it to this process, however much is under way: it is no message yet. */
  async hold(item: NewItem): Promise<Item> {
    return (await this.#insert(item, true)) as Item;
  }

  /** Puts a message into the row of work that this process holds, and begins to send it. Returns false when it was lost. */
  async replace({ id, kind, lease }: Pick<Item, 'id' | 'kind' | 'lease'>, item: NewItem): Promise<boolean> {
    const { purpose, parcel } = item;
    const lane = this.#lanes.get(null)!;
    const isTurn = lane.takeTurn();
    const endsInMs = lifetimeOf(parcel);
    const payload = this.#parcels.seal({ id, kind }, parcel);
    const next = { purpose, payload, lease: isTurn ? lease : null, dueInMs: isTurn ? leaseMs : 0, endsInMs };
    const isKept = await this.#parts.rows.rewrite({ id, lease }, next).catch(error => {
      if (isTurn) lane.endTurn();
      throw error;
    });
    const now = this.now();
    const started = { id, kind, purpose, lease, attempt: 1, parcel, storedAt: now, endsAt: now + endsInMs };
    if (isTurn && isKept) void this.#start(started, lane);
    else if (isTurn) lane.endTurn();
    else lane.lookForMore();
    return isKept;
  }

  /** Deletes the row of a message that was sent, whoever has leased it meanwhile. */
  async finish({ id }: Pick<Item, 'id'>): Promise<void> {
    await this.#parts.rows.remove(id).catch(() => this.#leftovers.add(id));
  }

  /** Deletes the row of work that has made no message. */
  async cancel(item: Pick<Item, 'id' | 'lease'>): Promise<void> {
    await this.#parts.rows.removeLeased(item);
  }

  /** Ends the lease of an item, which is due again after this time. */
  async giveBack(item: Pick<Item, 'id' | 'lease'>, dueInMs: number, why: string | null): Promise<void> {
    // Where the database cannot be written the lease ends by itself.
    await this.#parts.rows.giveBack(item, dueInMs, why).catch(() => {});
  }

  /** Gives an item up; administrators can have it tried again. Returns false when the lease was lost. */
  bury = (item: Pick<Item, 'id' | 'lease'>, why: string): Promise<boolean> =>
    this.#parts.rows.bury(item, why).catch(() => false);

  /** Resolves when nothing is being sent and nothing could be sent now. */
  async settled(): Promise<void> {
    if (this.#isBusy) await new Promise<void>(resolve => this.#whenIdle.push(resolve));
  }

  /**
   * Graceful shutdown: begins nothing more, waits up to `timeoutMs` for what is being sent, and ends the leases of what is
   * not finished then, so that another process continues at once. Returns what was not finished.
   */
  drain(timeoutMs: number): Promise<Item[]> {
    this.#drained ??= this.#drain(timeoutMs);
    return this.#drained;
  }

  async #drain(timeoutMs: number): Promise<Item[]> {
    this.#isClosing = true;
    this.#cancelPoll();
    for (const lane of this.#lanes.values()) lane.close();
    if (this.#isBusy) {
      await new Promise<void>(resolve => {
        const cancel = scheduleOnTimer(timeoutMs, resolve);
        this.#whenIdle.push(() => {
          cancel();
          resolve();
        });
      });
    }
    const unfinished = [...this.#handled.values()];
    this.#handled.clear();
    await Promise.all(unfinished.map(item => this.giveBack(item, 0, null)));
    this.#ending.abort();
    return unfinished;
  }

  /** Aborted when the process is stopping and has given back what it was sending: a request would keep it from ending. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether it also sends what others have stored. */
  get polls(): boolean {
    return this.#parts.polls;
  }

  get #isBusy(): boolean {
    return [...this.#lanes.values()].some(lane => lane.isBusy);
  }

  #endOfWork(): void {
    if (!this.#isBusy) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #insert({ kind, purpose, recipient, lane, parcel }: NewItem, isLeased: boolean) {
    const now = this.now();
    const id = uuidv7();
    const lease = isLeased ? randomUUID() : null;
    const endsInMs = lifetimeOf(parcel);
    const payload = this.#parcels.seal({ id, kind }, parcel);
    const dueInMs = isLeased ? leaseMs : 0;
    await this.#parts.rows.add({
      id,
      kind,
      purpose,
      recipient,
      payload,
      lease,
      dueInMs,
      endsInMs,
      ...(lane && { lane }),
    });
    return { id, kind, purpose, lease, attempt: 1, parcel, storedAt: now, endsAt: now + endsInMs };
  }

  /** Handles a leased item, for which a turn was taken. */
  async #start(item: Item, lane: Lane): Promise<void> {
    this.#handled.set(item.id, item);
    const extend = () => void this.#parts.rows.extend(item, leaseMs).catch(() => {});
    const heartbeat = setInterval(extend, leaseMs / 3).unref();
    try {
      const handler = this.#handlers.get(item.parcel.by);
      if (handler) await handler(item);
      else await this.giveBack(item, unknownPauseMs, null);
    } catch (err) {
      this.#parts.logger.error({ kind: item.purpose, err }, 'a stored message could not be handled');
    } finally {
      clearInterval(heartbeat);
      this.#handled.delete(item.id);
      lane.endTurn();
    }
  }

  #pollLater(): void {
    this.#cancelPoll = this.#schedule(pollMs * (0.5 + Math.random()), () => {
      if (this.#isClosing) return;
      for (const lane of this.#lanes.values()) lane.lookForMore();
      this.#pollLater();
    });
  }

  /** Deletes the rows of messages that were sent while they could not be deleted. */
  async #removeLeftovers(): Promise<void> {
    for (const id of this.#leftovers) {
      await this.#parts.rows.remove(id);
      this.#leftovers.delete(id);
    }
  }

  /** Begins to handle a row that was leased. */
  async #open(row: OutboxMessage, lane: Lane): Promise<void> {
    const { id, kind, purpose, attempts, createdAt, endsAt } = row;
    const lease = row.lease!;
    // The end of the lease tells the time of the database.
    const databaseNow = row.nextAttemptAt!.getTime() - leaseMs;
    const since = this.now() - databaseNow;
    try {
      const parcel = this.#parcels.open(row);
      const times = { storedAt: createdAt.getTime() + since, endsAt: endsAt.getTime() + since };
      await this.#start({ id, kind, purpose, lease, attempt: attempts, parcel, ...times }, lane);
    } catch (error) {
      const { code } = loggable(error);
      this.#parts.logger.error({ id, kind: purpose, code }, 'a stored message cannot be decrypted');
      await this.bury({ id, lease }, 'unreadable: no configured data_encryption_key decrypts it');
      lane.endTurn();
    }
  }

  /** Logs that the stored messages cannot be read, once in an outage. */
  #reportReadable(error?: unknown): void {
    if (error !== undefined && this.#isReadable)
      this.#parts.logger.warn(loggable(error), 'stored messages cannot be read, will be tried again');
    this.#isReadable = error === undefined;
  }
}
