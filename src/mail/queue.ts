import type { Logger } from '../logger.ts';
import { loggable, MailError } from './mail-error.ts';
import type { Mail, Mailer } from './mailer.ts';

/** Calls `run` after `ms`, unless the answered function cancels it first. */
export type Schedule = (ms: number, run: () => void) => () => void;

interface MailQueueOptions {
  mailer: Mailer;
  logger: Logger;
  /** Mails that may wait, for their first try or another; further ones are dropped. */
  maxWaiting?: number;
  concurrency?: number;
  /** Tries for each mail. The waits between them are 4, 8, 16 and 32 seconds, each give or take a half. */
  tries?: number;
  sendTimeoutMs?: number;
  schedule?: Schedule;
}

interface Job {
  kind: string;
  mail: Mail;
  attempt: number;
}

const firstDelayMs = 4000;

const scheduleOnTimer: Schedule = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/**
 * Mails on their way out, in memory: the caller never waits for the mail server, and a failure is a log record that
 * holds the kind of mail, the recipient's domain and a code. What waits is lost when the process is killed.
 */
export class MailQueue {
  readonly #mailer: Mailer;
  readonly #logger: Logger;
  readonly #maxWaiting: number;
  readonly #concurrency: number;
  readonly #tries: number;
  readonly #sendTimeoutMs: number;
  readonly #schedule: Schedule;

  readonly #ready: Job[] = [];
  /** Mails between two tries, with what cancels the wait. */
  readonly #delayed = new Map<Job, () => void>();
  #sending = 0;
  #draining = false;
  #failedWhileDraining = 0;
  #whenEmpty: (() => void)[] = [];

  constructor(options: MailQueueOptions) {
    this.#mailer = options.mailer;
    this.#logger = options.logger;
    this.#maxWaiting = options.maxWaiting ?? 1000;
    this.#concurrency = options.concurrency ?? 4;
    this.#tries = options.tries ?? 5;
    this.#sendTimeoutMs = options.sendTimeoutMs ?? 30_000;
    this.#schedule = options.schedule ?? scheduleOnTimer;
  }

  /** Mails neither delivered nor given up, those being sent included. */
  get size(): number {
    return this.#ready.length + this.#delayed.size + this.#sending;
  }

  /** Takes a mail over and returns at once; `kind` (`verification`) stands for it in the log. Never throws. */
  enqueue(kind: string, mail: Mail): void {
    const code = this.#draining ? 'closed' : this.#isFull ? 'full' : undefined;
    if (code) {
      this.#logger.error({ kind, code, domain: domainOf(mail) }, 'mail dropped');
      return;
    }
    this.#ready.push({ kind, mail, attempt: 0 });
    this.#sendNext();
  }

  /**
   * Accepts nothing from now on, gives every mail that waits for another try its last one at once, and waits up to
   * `timeoutMs` for all of them; `undelivered` counts those that failed meanwhile or are unfinished at the end.
   */
  async drain(timeoutMs: number): Promise<{ undelivered: number }> {
    this.#draining = true;
    for (const [job, cancel] of this.#delayed) {
      cancel();
      this.#ready.push(job);
    }
    this.#delayed.clear();
    this.#sendNext();
    if (this.size > 0) {
      await new Promise<void>(resolve => {
        const cancel = this.#schedule(timeoutMs, resolve);
        this.#whenEmpty.push(() => {
          cancel();
          resolve();
        });
      });
    }
    const undelivered = this.#failedWhileDraining + this.size;
    this.#ready.length = 0;
    return { undelivered };
  }

  get #isFull(): boolean {
    return this.#ready.length + this.#delayed.size >= this.#maxWaiting;
  }

  #sendNext(): void {
    while (this.#sending < this.#concurrency) {
      const job = this.#ready.shift();
      if (!job) break;
      this.#sending++;
      this.#try(job)
        .catch(() => {}) // Only a logger that throws ends here, and it must not end the process.
        .finally(() => {
          this.#sending--;
          this.#sendNext();
        });
    }
    if (this.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
  }

  async #try(job: Job): Promise<void> {
    job.attempt++;
    const { kind, attempt } = job;
    try {
      await this.#send(job.mail);
    } catch (error) {
      const again =
        !this.#draining && attempt < this.#tries && !(error instanceof MailError && error.permanent);
      if (again) this.#delay(job);
      else if (this.#draining) this.#failedWhileDraining++;
      const fields = { kind, attempt, domain: domainOf(job.mail), ...loggable(error) };
      if (again) this.#logger.warn(fields, 'mail not sent, will try again');
      else this.#logger.error(fields, 'mail not sent, given up');
      return;
    }
    this.#logger.debug({ kind, attempt, domain: domainOf(job.mail) }, 'mail sent');
  }

  async #send(mail: Mail): Promise<void> {
    let cancel = () => {};
    const timeout = new Promise<never>((_, reject) => {
      const late = () => reject(new MailError('the mailer did not finish in time', { code: 'ETIMEDOUT' }));
      cancel = this.#schedule(this.#sendTimeoutMs, late);
    });
    try {
      await Promise.race([this.#mailer.send(mail), timeout]);
    } finally {
      cancel();
    }
  }

  #delay(job: Job): void {
    // Jitter: mails that failed together must not all come back together.
    const ms = firstDelayMs * 2 ** (job.attempt - 1) * (0.5 + Math.random());
    const cancel = this.#schedule(ms, () => {
      this.#delayed.delete(job);
      this.#ready.push(job);
      this.#sendNext();
    });
    this.#delayed.set(job, cancel);
  }
}

function domainOf(mail: Mail): string {
  return mail.to.slice(mail.to.lastIndexOf('@') + 1);
}
