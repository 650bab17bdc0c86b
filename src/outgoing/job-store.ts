import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Schedule, scheduleInBackground, scheduleOnTimer, withinTime } from '../clock.ts';
import type { DataEncryption } from '../crypto/data-key.ts';
import type { Logger } from '../logger.ts';
import type { Claim, OutboxRows } from '../storage/repositories/outbox.ts';
import type { OutboxMessage } from '../tables/outbox-message.ts';
import { loggable } from './delivery-error.ts';
import { type Job, type JobHandler, lifetimeOf, type NewJob } from './job.ts';
import { JobQueue, type JobQueueOptions } from './job-queue.ts';
import { createPayloadCipher } from './payload.ts';

interface JobStoreParts {
  rows: OutboxRows;
  encryption: DataEncryption;
  logger: Logger;
  /** Whether it also runs jobs that other processes have stored or left: every server does, a command does not. */
  polls: boolean;
  schedule?: Schedule;
  /** A monotonic clock, in milliseconds. */
  now?: (() => number) | undefined;
}

/** How long a lease lasts, in milliseconds (CONTRACT §12.1). It is extended while its process runs the job. */
const leaseMs = 20_000;
/** How often a server polls, in milliseconds, with jitter of up to a half. */
const pollMs = 5000;
/** A job that is due later than this, in milliseconds, waits for the regular poll. */
const longestTimerMs = 60_000;
/** The delay of a job whose handler only a later version has, in milliseconds. */
const unknownDelayMs = 60_000;

/**
 * Jobs in the database (CONTRACT §12.1). The process that stores a job claims it with the same statement and runs it at
 * once. When a process dies, another claims its jobs after their leases have ended. All times are the database clock's.
 */
export class JobStore {
  readonly #parts: JobStoreParts;
  readonly #cipher: ReturnType<typeof createPayloadCipher>;
  readonly #schedule: Schedule;
  readonly now: () => number;

  readonly #handlers = new Map<string, JobHandler>();
  readonly #queues: JobQueue[] = [];
  /** Jobs that are running, and the queue of each, by their id. */
  readonly #running = new Map<string, { job: Job; queue: JobQueue }>();
  /** Ids of completed jobs whose rows could not be deleted yet. */
  readonly #undeleted = new Set<string>();
  readonly #ending = new AbortController();
  #isClosing = false;
  #isReadable = true;
  #cancelPoll = () => {};
  #whenIdle: (() => void)[] = [];
  #drained: Promise<Job[]> | undefined;

  constructor(parts: JobStoreParts) {
    this.#parts = parts;
    this.#cipher = createPayloadCipher(parts.encryption);
    this.#schedule = parts.schedule ?? scheduleInBackground;
    this.now = parts.now ?? (() => performance.now());
    this.openQueue(null, { kinds: ['mail'] });
    this.openQueue(null, { kinds: ['text'] });
    if (parts.polls) this.#pollLater();
  }

  /** Registers the handler of payloads by its name. */
  handle(by: string, handler: JobHandler): void {
    this.#handlers.set(by, handler);
  }

  /** Starts to run the jobs of a queue. Every process runs those of the queues null. */
  openQueue(name: string | null, { kinds, purposes, prepare }: JobQueueOptions): void {
    const { rows, polls } = this.#parts;
    const queue = new JobQueue(name, {
      ...{ kinds, purposes, rows, leaseMs, polls },
      prepare: async () => {
        await this.#deleteCompleted();
        return (await prepare?.()) ?? true;
      },
      run: (row, queue) => void this.#runRow(row, queue),
      onIdle: () => this.#checkIdle(),
      report: error => this.#reportReadable(error),
    });
    this.#queues.push(queue);
  }

  /**
   * Stores a job and runs it at once if a slot is free. A command leaves the jobs of webhooks and durable handlers to the
   * servers.
   */
  async add(job: NewJob): Promise<void> {
    const queue = this.#queueOf(job);
    const hasSlot = (this.polls || job.queue === undefined) && (queue?.takeSlot() ?? false);
    const stored = await this.#insert(job, hasSlot).catch(error => {
      if (hasSlot) queue!.releaseSlot();
      throw error;
    });
    if (hasSlot) void this.#run(stored as Job, queue!);
    else queue?.wake();
  }

  /** Claims the due jobs of the queues of this name at once, if this process runs them. */
  wake(name: string | null): void {
    for (const queue of this.#queues) if (queue.name === name) queue.wake();
  }

  /** Stores a job as a dead letter, for administrators. Returns its id. */
  async addDeadLetter({ payload: content, ...job }: NewJob, why: string): Promise<string> {
    const id = uuidv7();
    const payload = this.#cipher.encrypt({ id, kind: job.kind }, content);
    const row = { id, ...job, payload, lease: null, dueInMs: 0, endsInMs: lifetimeOf(content) };
    await this.#parts.rows.addDeadLetter(row, why);
    return id;
  }

  /** Stores a job that the caller runs itself, claimed for this process. It takes no slot. */
  async addClaimed(job: NewJob): Promise<Job> {
    return (await this.#insert(job, true)) as Job;
  }

  /** Replaces a claimed task by the message that it made, and sends that. Returns false when the claim was lost. */
  async replace({ id, kind, lease }: Pick<Job, 'id' | 'kind' | 'lease'>, message: NewJob): Promise<boolean> {
    const { purpose, payload } = message;
    const queue = this.#queueOf({ kind })!;
    const hasSlot = queue.takeSlot();
    const endsInMs = lifetimeOf(payload);
    const next = {
      ...{ purpose, payload: this.#cipher.encrypt({ id, kind }, payload), endsInMs },
      ...(hasSlot ? { lease, dueInMs: leaseMs } : { lease: null, dueInMs: 0 }),
    };
    const isKept = await this.#parts.rows.rewrite({ id, lease }, next).catch(error => {
      if (hasSlot) queue.releaseSlot();
      throw error;
    });
    const now = this.now();
    const job = { id, kind, purpose, lease, attempt: 1, payload, storedAt: now, endsAt: now + endsInMs };
    if (hasSlot && isKept) void this.#run(job, queue);
    else if (hasSlot) queue.releaseSlot();
    else queue.wake();
    return isKept;
  }

  /** Deletes a job that is done, even if another process has claimed it meanwhile. */
  async complete({ id }: Pick<Job, 'id'>): Promise<void> {
    await this.#parts.rows.remove(id).catch(() => this.#undeleted.add(id));
  }

  /** Deletes a job unless its claim was lost. */
  async discard(claim: Claim): Promise<void> {
    await this.#parts.rows.removeClaimed(claim);
  }

  /** Ends the claim of a job, which is due again after a delay. `why` is the error of the attempt, if it failed. */
  async release(claim: Claim, delayMs: number, why: string | null): Promise<void> {
    const queue = this.#running.get(claim.id)?.queue;
    // When the database cannot be written, the lease ends by itself.
    await this.#parts.rows.release(claim, delayMs, why).catch(() => {});
    // A short delay would end long before the regular poll.
    if (queue && delayMs > 0 && delayMs < longestTimerMs)
      this.#schedule(delayMs, () => void (this.#isClosing || queue.wake()));
  }

  /** Makes a job a dead letter, which administrators can retry. Returns false when its claim was lost. */
  deadLetter = (claim: Claim, why: string): Promise<boolean> =>
    this.#parts.rows.deadLetter(claim, why).catch(() => false);

  /** Resolves when no job is running and none could be started now. */
  async settled(): Promise<void> {
    if (this.#isBusy) await new Promise<void>(resolve => this.#whenIdle.push(resolve));
  }

  /**
   * Graceful shutdown: starts no further jobs and waits up to `timeoutMs` for those that are running. The others are
   * released, so that another process claims them at once, and returned.
   */
  drain(timeoutMs: number): Promise<Job[]> {
    this.#drained ??= this.#drain(timeoutMs);
    return this.#drained;
  }

  async #drain(timeoutMs: number): Promise<Job[]> {
    this.#isClosing = true;
    this.#cancelPoll();
    for (const queue of this.#queues) queue.close();
    const idle = () => this.settled();
    await withinTime(scheduleOnTimer, timeoutMs, idle, () => {});
    const unfinished = [...this.#running.values()].map(({ job }) => job);
    this.#running.clear();
    await Promise.all(unfinished.map(job => this.release(job, 0, null)));
    this.#ending.abort();
    return unfinished;
  }

  /** Aborted after a drain has released unfinished jobs: a request that goes on would keep the process from ending. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether it also runs jobs that other processes have stored. */
  get polls(): boolean {
    return this.#parts.polls;
  }

  /** Returns the queue of a job, if this process runs it. */
  #queueOf(job: Pick<NewJob, 'kind' | 'queue'>): JobQueue | undefined {
    return this.#queues.find(queue => queue.takes(job));
  }

  get #isBusy(): boolean {
    return this.#queues.some(queue => queue.isBusy);
  }

  #checkIdle(): void {
    if (!this.#isBusy) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #insert({ kind, purpose, recipient, queue, payload }: NewJob, isClaimed: boolean) {
    const now = this.now();
    const id = uuidv7();
    const lease = isClaimed ? randomUUID() : null;
    const endsInMs = lifetimeOf(payload);
    await this.#parts.rows.add({
      ...{ id, kind, purpose, recipient, lease, endsInMs, ...(queue && { queue }) },
      payload: this.#cipher.encrypt({ id, kind }, payload),
      dueInMs: isClaimed ? leaseMs : 0,
    });
    return { id, kind, purpose, lease, attempt: 1, payload, storedAt: now, endsAt: now + endsInMs };
  }

  /** Runs a claimed job. Its slot is taken already, and released at the end. */
  async #run(job: Job, queue: JobQueue): Promise<void> {
    const running = { job, queue };
    this.#running.set(job.id, running);
    const extend = () => void this.#parts.rows.extend(job, leaseMs).catch(() => {});
    const heartbeat = setInterval(extend, leaseMs / 3).unref();
    try {
      const handler = this.#handlers.get(job.payload.by);
      if (handler) await handler(job);
      else await this.release(job, unknownDelayMs, null);
    } catch (err) {
      this.#parts.logger.error({ kind: job.purpose, err }, 'a stored message could not be handled');
    } finally {
      clearInterval(heartbeat);
      // A message that has replaced this job runs under the same id.
      if (this.#running.get(job.id) === running) this.#running.delete(job.id);
      queue.releaseSlot();
    }
  }

  #pollLater(): void {
    this.#cancelPoll = this.#schedule(pollMs * (0.5 + Math.random()), () => {
      if (this.#isClosing) return;
      for (const queue of this.#queues) queue.wake();
      this.#pollLater();
    });
  }

  /** Deletes the rows of completed jobs that could not be deleted before. */
  async #deleteCompleted(): Promise<void> {
    for (const id of this.#undeleted) {
      await this.#parts.rows.remove(id);
      this.#undeleted.delete(id);
    }
  }

  /** Decrypts a claimed row and runs its job. */
  async #runRow(row: OutboxMessage, queue: JobQueue): Promise<void> {
    const { id, kind, purpose, attempts, createdAt, endsAt } = row;
    const lease = row.lease!;
    // The lease began at the database's present time.
    const databaseNow = row.nextAttemptAt!.getTime() - leaseMs;
    const since = this.now() - databaseNow;
    try {
      const payload = this.#cipher.decrypt(row);
      const times = { storedAt: createdAt.getTime() + since, endsAt: endsAt.getTime() + since };
      await this.#run({ id, kind, purpose, lease, attempt: attempts, payload, ...times }, queue);
    } catch (error) {
      const { code } = loggable(error);
      this.#parts.logger.error({ id, kind: purpose, code }, 'a stored message cannot be decrypted');
      await this.deadLetter({ id, lease }, 'unreadable: no configured data_encryption_key decrypts it');
      queue.releaseSlot();
    }
  }

  /** Logs that stored jobs cannot be read, once in an outage. */
  #reportReadable(error?: unknown): void {
    if (error !== undefined && this.#isReadable)
      this.#parts.logger.warn(loggable(error), 'stored messages cannot be read, will be tried again');
    this.#isReadable = error === undefined;
  }
}
