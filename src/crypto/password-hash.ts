import { availableParallelism } from 'node:os';
import { GatehouseError } from '../errors.ts';
import { formsOfPassword, normalisePassword } from '../password-text.ts';
import type { DataEncryption } from './data-key.ts';
import { owasp } from './hash-cost.ts';
import { isOfNfc, type NewHash, ofNfc, type StoredPassword } from './password-form.ts';
import { type Argon2, type HashCost, isOutdated, portableArgon2, workOfCost } from './schemes/argon2.ts';
import { type FirebaseParameters, firebaseForm } from './schemes/firebase.ts';
import { createSchemes, type Schemes } from './schemes/index.ts';
import { type StoredHash, UnusableHash } from './schemes/scheme.ts';
import { hashBehind, isStopped } from './stopped-password.ts';
import { createWorkload, type KnownWork, type Workload } from './workload.ts';

export interface HashLoad {
  running: number;
  waiting: number;
  refused: number;
  /** Whether the next hash would be refused. */
  isFull: boolean;
}

interface HasherOptions {
  cost?: HashCost | undefined;
  argon2?: Argon2;
  /** How many processes share the cores. */
  processes?: number | undefined;
  /** Opens the signer key of hashes that come from Firebase. */
  encryption?: DataEncryption | undefined;
  /** The reader of stored hashes, unless it is made of the above. */
  schemes?: Schemes;
  /** Called for each stored hash that cannot be checked, with the reason. */
  onUnusable?: (userId: string | null, reason: string) => void;
  /** Returns the work of the hashes that were imported. */
  readImported?: () => Promise<KnownWork>;
}

/** A stored password, or a hash alone, of which nothing is known; nothing where there is no password. */
type HeldHash = StoredPassword | string | null | undefined;

/** Checks passwords and renews their hashes, and hashes no chosen one. */
export type PasswordVerifier = Omit<PasswordHasher, 'hash'>;

/** The size of libuv's thread pool; a hash occupies one thread for its whole time. */
const poolSize = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** How many hashes may wait in the queue; at a few dozen hashes a second, more would wait longer than people do. */
const longestQueue = 200;

/**
 * Hashes passwords with Argon2id, and verifies them against hashes of every known scheme, a bounded number in parallel: as
 * many as there are cores, and always one fewer than the threads of the pool, so that a flood of logins leaves room for
 * everything else.
 */
export class PasswordHasher {
  readonly #cost: HashCost;
  readonly #argon2: Argon2;
  readonly #schemes: Schemes;
  readonly #workload: Workload;
  readonly #encryption: DataEncryption | undefined;
  readonly #atOnce: number;
  readonly #onUnusable: (userId: string | null, reason: string) => void;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #refused = 0;
  #decoy: Promise<StoredHash> | undefined;

  constructor(options: HasherOptions = {}) {
    const { cost = owasp, argon2 = portableArgon2, processes = 1, encryption } = options;
    const cores = Math.ceil(availableParallelism() / processes);
    this.#atOnce = Math.max(1, Math.min(cores, poolSize - 1));
    this.#cost = cost;
    this.#argon2 = argon2;
    this.#encryption = encryption;
    this.#schemes = options.schemes ?? createSchemes(argon2, encryption);
    this.#workload = createWorkload(workOfCost(cost), options.readImported);
    this.#onUnusable = options.onUnusable ?? (() => {});
  }

  /** Running and waiting hashes, and how many were refused because too many waited. */
  get load(): HashLoad {
    const isFull = this.#waiting.length >= longestQueue;
    return { running: this.#running, waiting: this.#waiting.length, refused: this.#refused, isFull };
  }

  /** Returns the Argon2id hash of a password. @throws {GatehouseError} unavailable, when too many are waiting already */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#argon2.hash(normalisePassword(password), this.#cost));
  }

  /** Returns what checking a hash of another system would take. @throws {UnusableHash} saying why it cannot be checked */
  inspect(hash: string): Pick<StoredHash, 'family' | 'work'> {
    return this.#schemes.read(hash);
  }

  /** Returns how long a core works on a check of a hash of this work, in seconds: the process does that work once. */
  async secondsOf({ family, work }: Pick<StoredHash, 'family' | 'work'>): Promise<number> {
    return this.#inTurn(async () => {
      const before = process.cpuUsage();
      await this.#schemes.spend(family, work);
      return process.cpuUsage(before).user / 1_000_000;
    });
  }

  /** As `hash`, for a password that is not chosen now: the right one of an account whose hash is renewed. */
  async rehash(password: string): Promise<NewHash> {
    return ofNfc(await this.hash(password));
  }

  /**
   * Returns a function that returns the stored form of the hashes of a Firebase project. @throws {GatehouseError}
   * invalid_input without data_encryption_key @throws {UnusableHash} when the parameters are out of bounds
   */
  firebaseForm(parameters: FirebaseParameters): (salt: Buffer, digest: Buffer) => string {
    if (this.#encryption) return firebaseForm(parameters, this.#encryption);
    throw new GatehouseError('invalid_input', {
      detail:
        'data_encryption_key is required to import from Firebase: it encrypts the signer key. Make one with `openssl rand -base64 32 | tr +/ -_`.',
    });
  }

  /**
   * Returns whether the password matches this hash, which belongs to this user: in NFC, where the hash was made from that,
   * else in any of its forms. Each form is compared all the same. Without a hash (no such account, or no password set), and
   * with a hash that cannot be checked, an Argon2id hash is verified and the result is false, so that the time reveals
   * nothing (timing attack).
   * @throws {GatehouseError} unavailable, when too many are waiting already
   */
  async verify(stored: HeldHash, password: string, userId: string | null): Promise<boolean> {
    const decoy = await this.#makeDecoy();
    return this.#inTurn(async () => (await this.#attempt(stored, password, userId, decoy)).isRight);
  }

  /**
   * As `verify`, for somebody who has only named an address. A wrong password takes the same work for every address:
   * after the check, what the hash of another account would have taken more is done as well. So the time reveals neither
   * whether there is an account nor whether its hash was imported (account enumeration, timing attack).
   */
  async verifySignIn(stored: HeldHash, password: string, userId: string | null): Promise<boolean> {
    const [decoy, known] = await Promise.all([this.#makeDecoy(), this.#workload.known()]);
    const forms = formsOfPassword(password);
    return this.#inTurn(async () => {
      const { isRight, checked } = await this.#attempt(stored, password, userId, decoy);
      if (isRight) return true;
      for (const { family, work, isDecoy } of this.#workload.missing(checked, known)) {
        for (const form of forms) await (isDecoy ? decoy.verify(form) : this.#schemes.spend(family, work));
      }
      return false;
    });
  }

  /**
   * Prepares the hash that passwords of absent accounts are compared with, so that the first comparison takes no longer
   * than the next.
   */
  async warmUp(): Promise<void> {
    await this.#makeDecoy();
  }

  /** Returns whether the hash is of another scheme than Argon2id, or has other parameters than the present ones. */
  isOutdated(hash: string): boolean {
    return isOutdated(hash, this.#cost);
  }

  #makeDecoy(): Promise<StoredHash> {
    this.#decoy ??= this.hash('no account has this password').then(hash => this.#schemes.read(hash));
    return this.#decoy;
  }

  /** Checks a hash, or the decoy in place of one that is missing or cannot be checked. Returns which of them it was. */
  async #attempt(
    held: HeldHash,
    typed: string,
    userId: string | null,
    decoy: StoredHash,
  ): Promise<{ isRight: boolean; checked: StoredHash }> {
    const forms = formsOfPassword(typed);
    const password = typeof held === 'string' ? { hashedPassword: held, passwordForm: null } : held;
    const hash = password?.hashedPassword;
    if (password && hash != null) {
      try {
        const stored = this.#schemes.read(hashBehind(hash));
        const ofNfcOnly = isOfNfc(password) ? [normalisePassword(typed)] : forms;
        const isRight = await matchesAny(stored, forms, isStopped(hash) ? [] : ofNfcOnly);
        return { isRight, checked: stored };
      } catch (error) {
        // The form of a hash does not show every defect. When the machine is at fault, the decoy fails the same way.
        await matchesAny(decoy, forms);
        this.#onUnusable(userId, reasonOf(error));
        return { isRight: false, checked: decoy };
      }
    }
    await matchesAny(decoy, forms);
    return { isRight: false, checked: decoy };
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) {
      this.#running++;
    } else {
      if (this.#waiting.length >= longestQueue) {
        this.#refused++;
        throw new GatehouseError('unavailable', { retryAfterSeconds: 5 });
      }
      // A finished hash passes its slot to the next one, so the count stays the same.
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

/** Compares every form until one that is `accepted` is right; each of the others is compared all the same. */
async function matchesAny(stored: StoredHash, forms: string[], accepted = forms): Promise<boolean> {
  for (const form of forms) if ((await stored.verify(form)) && accepted.includes(form)) return true;
  return false;
}

/** Returns why a hash cannot be checked. The messages of packages may repeat a part of the hash. */
function reasonOf(error: unknown): string {
  const isOurs =
    error instanceof UnusableHash || (error instanceof Error && error.name === 'UnreadableSecret');
  return isOurs ? (error as Error).message : 'is damaged';
}
