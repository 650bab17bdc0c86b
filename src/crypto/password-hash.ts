import { availableParallelism } from 'node:os';
import { GatehouseError } from '../errors.ts';
import { type Argon2id, type HashCost, hasOtherCost, portableArgon2id } from './argon2.ts';

export interface HashLoad {
  running: number;
  waiting: number;
  refused: number;
  /** Whether the next one would be refused. */
  isFull: boolean;
}

/** OWASP Password Storage Cheat Sheet, Argon2id: m = 19 MiB, t = 2, p = 1. */
const owasp: HashCost = { memoryCost: 19_456, timeCost: 2 };

/** libuv's pool; a hash occupies one of its threads for its whole time. */
const poolSize = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** How many may wait for their turn; at a few dozen hashes a second, more would wait longer than people do. */
const longestQueue = 200;

/**
 * Hashes and verifies passwords with Argon2id, a bounded number at a time: as many as there are cores and always one
 * thread of the pool fewer than it has, so that a flood of logins leaves room for everything else.
 */
export class PasswordHasher {
  readonly #cost: HashCost;
  readonly #argon2id: Argon2id;
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #refused = 0;
  #decoy: Promise<string> | undefined;

  /** `processes` share the cores among them. */
  constructor(cost: HashCost = owasp, argon2id = portableArgon2id, processes = 1) {
    const cores = Math.ceil(availableParallelism() / processes);
    this.#atOnce = Math.max(1, Math.min(cores, poolSize - 1));
    this.#cost = cost;
    this.#argon2id = argon2id;
  }

  /** Hashes at work, those that wait for them, and how many were refused as too many waited. */
  get load(): HashLoad {
    const isFull = this.#waiting.length >= longestQueue;
    return { running: this.#running, waiting: this.#waiting.length, refused: this.#refused, isFull };
  }

  /** @throws {GatehouseError} unavailable, when too many are waiting already. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#argon2id.hash(password, this.#cost));
  }

  /**
   * Whether the password is the one of this hash. Without a hash (no such account, or none set) it does the same work
   * and says no, so that the time tells nothing. @throws {GatehouseError} unavailable
   */
  async verify(hash: string | null | undefined, password: string): Promise<boolean> {
    if (hash) return this.#inTurn(() => this.#argon2id.verify(hash, password));
    this.#decoy ??= this.hash('no account has this password');
    const decoy = await this.#decoy;
    await this.#inTurn(() => this.#argon2id.verify(decoy, password));
    return false;
  }

  /** Makes the hash that absent accounts are compared with, so that the first of them takes no longer than the next. */
  async warmUp(): Promise<void> {
    this.#decoy ??= this.hash('no account has this password');
    await this.#decoy;
  }

  /** Whether the hash was made with other parameters than today's. */
  isOutdated(hash: string): boolean {
    return hasOtherCost(hash, this.#cost);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) {
      this.#running++;
    } else {
      if (this.#waiting.length >= longestQueue) {
        this.#refused++;
        throw new GatehouseError('unavailable', { retryAfterSeconds: 5 });
      }
      // Whoever leaves hands its place over, so the count stays as it is.
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
