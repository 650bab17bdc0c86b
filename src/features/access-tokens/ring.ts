import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { signingAlgorithms } from '../../config/schema/resources.ts';
import { type DataEncryption, UnreadableSecret } from '../../crypto/data-key.ts';
import { GatehouseError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { makeKey, openPrivate, openPublic, publicPartOf } from './keys.ts';
import type { SigningKeyRows } from './rows.ts';
import type { TokenSettings } from './settings.ts';
import { type KeyState, keyStates, retiredMs, type StoredKey } from './table.ts';

export type Ring = ReturnType<typeof createRing>;

/** How old a copy of the ring may be that serves a request, in milliseconds. */
const freshMs = 30_000;
/** How often an unknown id reads the ring, in milliseconds. */
const unknownMs = 1000;
const dayMs = 86_400_000;

/** A key of the ring, in memory. */
export interface RingKey {
  kid: string;
  algorithm: SigningAlgorithm;
  state: KeyState;
  since: Date;
  publicJwk: StoredKey['publicJwk'];
  publicKey: KeyObject;
  /** Null for a key that is retired. */
  privateKey: KeyObject | null;
  /** Whether its private part is encrypted with the present data encryption key, or has none. */
  isUpToDate: boolean;
}

interface Copy {
  keys: readonly RingKey[];
  /** By the monotonic clock of the process. */
  readAt: number;
}

interface Parts {
  config: TokenSettings;
  /** Told by a request that a key may be old enough to be replaced (`rotateAged`). */
  onAged?: () => void;
  clock: Clock;
  /** Returns the time by the clock of the database. */
  databaseNow(): Promise<Date>;
  rows: SigningKeyRows;
  encryption: DataEncryption;
  logger: Logger;
  /** Milliseconds that only rise; for tests. */
  monotonic?: () => number;
}

/** A data encryption key that does not open the stored keys. */
class UnreadableRing extends Error {
  override readonly name = 'UnreadableRing';

  constructor(algorithm: string) {
    super(
      `The signing keys of ${algorithm} cannot be decrypted: set data_encryption_key_previous to the key that encrypted them, or replace them by \`svc keys reset\`, which ends all access tokens.`,
    );
  }
}

const isListedAlgorithm = (name: string): name is SigningAlgorithm =>
  (signingAlgorithms as readonly string[]).includes(name);

/**
 * The keys that sign access tokens (CONTRACT §16.2). Each change is one conditional write of the row of an algorithm, after
 * which a change of another process is seen: so of several processes exactly one promotes a key.
 */
export function createRing({ config, clock, databaseNow, rows, encryption, logger, ...parts }: Parts) {
  const { monotonic = () => performance.now(), onAged } = parts;
  const listed = config.signingAlgorithms;
  let copy: Copy | null = null;
  let reading: Promise<Copy> | null = null;
  let soughtAt = Number.NEGATIVE_INFINITY;
  const removed = new Set<string>();

  const associated = (algorithm: string, kid: string) => ['signing_keys', algorithm, kid];

  /** Returns a new key, encrypted. */
  async function newKey(algorithm: SigningAlgorithm, state: KeyState, since: number): Promise<StoredKey> {
    const { kid, publicJwk, privateText } = await makeKey(algorithm);
    return {
      kid,
      state,
      since,
      publicJwk,
      sealed: encryption.encrypt(privateText, associated(algorithm, kid)),
    };
  }

  /** @throws {UnreadableRing} */
  function unseal(algorithm: string, { kid, sealed }: StoredKey) {
    if (sealed === null) return null;
    try {
      return encryption.decrypt(sealed, associated(algorithm, kid));
    } catch (error) {
      if (error instanceof UnreadableSecret) throw new UnreadableRing(algorithm);
      throw error;
    }
  }

  function inMemory(algorithm: SigningAlgorithm, stored: StoredKey): RingKey {
    const publicJwk = publicPartOf(stored.publicJwk);
    const opened = unseal(algorithm, stored);
    return {
      ...{ kid: stored.kid, algorithm, state: stored.state, since: new Date(stored.since), publicJwk },
      publicKey: openPublic(publicJwk),
      privateKey: opened && openPrivate(opened.text),
      isUpToDate: !opened?.isOutdated,
    };
  }

  /** Reads every ring. A copy keeps the objects of keys that have not changed, which are dear to make. */
  async function read(): Promise<Copy> {
    const readAt = monotonic();
    const known = new Map(copy?.keys.map(key => [`${key.kid} ${key.state}`, key]));
    const keys = (await rows.list()).flatMap(({ id, keys: stored }) =>
      isListedAlgorithm(id)
        ? stored.map(each => {
            const former = known.get(`${each.kid} ${each.state}`);
            return former?.isUpToDate ? former : inMemory(id, each);
          })
        : [],
    );
    copy = { keys: keys.toSorted(byPlace), readAt };
    return copy;
  }

  /** Reads once for all that wait. */
  function refresh(): Promise<Copy> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  /** Returns a copy that is young enough; while the database is down, the one that there is. */
  async function keysNow(oldestMs = freshMs): Promise<readonly RingKey[]> {
    if (copy !== null && monotonic() - copy.readAt < oldestMs) return copy.keys;
    try {
      const { keys } = await refresh();
      rotateLater();
      return keys;
    } catch (error) {
      if (copy === null) throw error;
      logger.warn({ err: error }, 'the signing keys cannot be read, and those in memory are used');
      return copy.keys;
    }
  }

  const isPlanned = config.signingKeyRotationDays > 0;
  const planned = (since: number) => since + config.signingKeyRotationDays * dayMs;

  /** Returns the earlier of two clocks, so that one that is wrong promotes and removes nothing too early. */
  const earlierNow = async () => Math.min(clock.now().getTime(), (await databaseNow()).getTime());

  const currentOf = (keys: readonly StoredKey[]) => keys.find(({ state }) => state === 'current');
  const nextOf = (keys: readonly StoredKey[]) => keys.find(({ state }) => state === 'next');
  const retire = (key: StoredKey, since: number): StoredKey => ({
    ...key,
    state: 'retired',
    since,
    sealed: null,
  });
  const isKept = (now: number) => (key: StoredKey) => key.state !== 'retired' || key.since + retiredMs > now;

  /**
   * Changes the ring of an algorithm: `work` returns its keys as they shall be, or null to leave them. It is called again
   * when another process was faster. Returns whether this call changed it.
   */
  async function change(
    algorithm: string,
    work: (keys: readonly StoredKey[]) => Promise<StoredKey[] | null>,
  ): Promise<boolean> {
    for (;;) {
      const row = await rows.find(algorithm);
      if (!row) return false;
      const keys = await work(row.keys);
      if (keys === null) return false;
      if (await rows.change(row, keys)) return true;
    }
  }

  /** Returns the keys with `next` in the place of `current`. */
  async function promoted(algorithm: SigningAlgorithm, keys: readonly StoredKey[]): Promise<StoredKey[]> {
    const since = (await databaseNow()).getTime();
    const now = await earlierNow();
    const fresh = await newKey(algorithm, 'next', since);
    const next = nextOf(keys) ?? (await newKey(algorithm, 'next', since));
    const retired = keys
      .filter(({ kid }) => kid !== next.kid)
      .map(key => (key.state === 'retired' ? key : retire(key, since)));
    return [{ ...next, state: 'current', since }, fresh, ...retired.filter(isKept(now))];
  }

  /** Makes the ring of an algorithm where it is missing, opens it, and encrypts it with the present key. */
  async function openOne(algorithm: SigningAlgorithm): Promise<void> {
    const since = (await databaseNow()).getTime();
    const first = () => Promise.all([newKey(algorithm, 'current', since), newKey(algorithm, 'next', since)]);
    if (!(await rows.find(algorithm))) await rows.add(algorithm, await first(), new Date(since));
    await change(algorithm, async keys => {
      const opened = keys.map(key => ({ key, text: unseal(algorithm, key) }));
      const isComplete = currentOf(keys) !== undefined && nextOf(keys) !== undefined;
      if (!isComplete) return [...(await first()), ...keys.filter(({ state }) => state === 'retired')];
      if (!opened.some(({ text }) => text?.isOutdated)) return null;
      return opened.map(({ key, text }) =>
        text ? { ...key, sealed: encryption.encrypt(text.text, associated(algorithm, key.kid)) } : key,
      );
    });
  }

  /** An algorithm that is no longer listed signs nothing: its keys are published until its tokens have expired. */
  async function closeOne(algorithm: string): Promise<void> {
    await change(algorithm, async keys => {
      if (keys.every(({ state }) => state === 'retired')) return null;
      const since = (await databaseNow()).getTime();
      return keys.map(key => (key.state === 'retired' ? key : retire(key, since)));
    });
  }

  /** Rotates the rings whose current key is old enough by both clocks, and `next` published for long enough. */
  async function rotateAged(): Promise<SigningAlgorithm[]> {
    const rotated: SigningAlgorithm[] = [];
    if (!isPlanned) return rotated;
    for (const algorithm of listed) {
      const isDue = async (keys: readonly StoredKey[]) => {
        const now = await earlierNow();
        const { since: signing = now } = currentOf(keys) ?? {};
        const { since: published = now } = nextOf(keys) ?? {};
        return planned(signing) <= now && published + config.signingKeyLeadSeconds * 1000 <= now;
      };
      const isChanged = await change(algorithm, async keys =>
        (await isDue(keys)) ? promoted(algorithm, keys) : null,
      );
      if (isChanged) rotated.push(algorithm);
    }
    if (rotated.length > 0) await refresh();
    return rotated;
  }

  /** Without a timer: the request that reads the ring looks whether a key in memory is old enough. */
  function rotateLater(): void {
    const now = clock.now().getTime();
    const isAged = copy?.keys.some(
      ({ state, since }) => state === 'current' && planned(since.getTime()) <= now,
    );
    if (isPlanned && isAged) onAged?.();
  }

  return {
    /**
     * Makes, opens and re-encrypts the rings, at a start.
     * @throws {UnreadableRing} when the data encryption key does not open them
     * @throws {GatehouseError} unavailable
     */
    async open(): Promise<void> {
      for (const algorithm of listed) await openOne(algorithm);
      for (const { id } of await rows.list()) {
        if (!(listed as readonly string[]).includes(id)) await closeOne(id);
      }
      await refresh();
    },

    /** Returns the age of the oldest key of each algorithm in each state, in seconds, as far as this process knows them. */
    ages(): Record<string, Record<string, number>> {
      const ages: Record<string, Record<string, number>> = {};
      for (const { algorithm, state, since } of copy?.keys ?? []) {
        const seconds = Math.max(0, (clock.now().getTime() - since.getTime()) / 1000);
        ages[algorithm] ??= {};
        ages[algorithm][state] = Math.max(ages[algorithm][state] ?? 0, seconds);
      }
      return ages;
    },

    /** Whether this process has the keys. */
    get isOpen(): boolean {
      return copy?.keys.some(({ privateKey }) => privateKey !== null) ?? false;
    },

    /** Returns the keys that are published: by algorithm, then `current`, `next`, `retired`. @throws {GatehouseError} unavailable */
    keys: () => keysNow(),

    /**
     * As `keys`, for verifiers elsewhere. Their copies are older by the age of this one, so where keys are published for a short
     * time before they sign, this one is young.
     */
    published: () => keysNow(Math.min(freshMs, (config.signingKeyLeadSeconds * 1000) / 12)),

    /** Returns the key that signs. @throws {GatehouseError} unavailable */
    async current(algorithm: SigningAlgorithm): Promise<RingKey & { privateKey: KeyObject }> {
      const found = (keys: readonly RingKey[]) =>
        keys.find(key => key.algorithm === algorithm && key.state === 'current' && !removed.has(key.kid));
      const key = found(await keysNow()) ?? found((await refresh()).keys);
      if (key?.privateKey) return { ...key, privateKey: key.privateKey };
      // The start could not open the ring, because the database was down.
      await this.open();
      const opened = found((await refresh()).keys);
      if (!opened?.privateKey)
        throw new GatehouseError('unavailable', { cause: new Error('no signing key') });
      return { ...opened, privateKey: opened.privateKey };
    },

    /** Returns the key of a token, or null where there is none. An unknown one reads the ring, at most each second. */
    async find(kid: string): Promise<RingKey | null> {
      if (removed.has(kid)) return null;
      const found = (keys: readonly RingKey[]) => keys.find(key => key.kid === kid) ?? null;
      const known = found(await keysNow());
      if (known || monotonic() - soughtAt < unknownMs) return known;
      soughtAt = monotonic();
      return found((await refresh()).keys);
    },

    /**
     * Has `next` sign from now on, and makes another one.
     * @throws {GatehouseError} key_not_published, when verifiers may not know it yet; not with `force`
     */
    async rotate(algorithm: SigningAlgorithm, { force = false } = {}): Promise<boolean> {
      let before: string | undefined;
      const isChanged = await change(algorithm, async keys => {
        const present = currentOf(keys)?.kid;
        before ??= present;
        // Another process has rotated meanwhile.
        if (before !== present) return null;
        const readyAt = (nextOf(keys)?.since ?? 0) + config.signingKeyLeadSeconds * 1000;
        const waitMs = readyAt - (await earlierNow());
        if (waitMs > 0 && !force)
          throw new GatehouseError('key_not_published', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
        return promoted(algorithm, keys);
      });
      await refresh();
      return isChanged;
    },

    rotateAged,

    /**
     * Removes a key in any state, which this process refuses at once. In the place of `current`, `next` signs whatever its age
     * is. Returns the state that it had, or null where there is no such key.
     */
    async remove(kid: string): Promise<KeyState | null> {
      const row = (await rows.list()).find(({ keys }) => keys.some(key => key.kid === kid));
      if (!row || !isListedAlgorithm(row.id)) return null;
      const algorithm = row.id;
      let state: KeyState | null = null;
      const isChanged = await change(algorithm, async keys => {
        state = keys.find(key => key.kid === kid)?.state ?? null;
        if (state === null) return null;
        const others = keys.filter(key => key.kid !== kid);
        if (state === 'current') return promoted(algorithm, others);
        const since = (await databaseNow()).getTime();
        return state === 'next' ? [...others, await newKey(algorithm, 'next', since)] : others;
      });
      if (!isChanged) return null;
      removed.add(kid);
      await refresh();
      return state;
    },

    /** Replaces every key of every listed algorithm, without opening them: all tokens end. */
    async reset(): Promise<void> {
      for (const algorithm of listed) {
        const since = (await databaseNow()).getTime();
        const keys = await Promise.all([
          newKey(algorithm, 'current', since),
          newKey(algorithm, 'next', since),
        ]);
        if (await rows.add(algorithm, keys, new Date(since))) continue;
        await change(algorithm, async former => {
          for (const { kid } of former) removed.add(kid);
          return keys;
        });
      }
      for (const { id } of await rows.list()) {
        if ((listed as readonly string[]).includes(id)) continue;
        await change(id, async former => {
          for (const { kid } of former) removed.add(kid);
          return [];
        });
      }
      await refresh();
    },

    /** Returns when the state of a key is planned to end, or null. */
    endOf({ state, since, algorithm }: RingKey): Date | null {
      if (state === 'retired') return new Date(since.getTime() + retiredMs);
      const signing = copy?.keys.find(key => key.algorithm === algorithm && key.state === 'current');
      if (!isPlanned || !signing) return null;
      return new Date(planned(signing.since.getTime()));
    },
  };
}

/** By algorithm, then `current`, `next`, `retired`, the youngest of those first. */
const byPlace = (a: RingKey, b: RingKey): number =>
  signingAlgorithms.indexOf(a.algorithm) - signingAlgorithms.indexOf(b.algorithm) ||
  keyStates.indexOf(a.state) - keyStates.indexOf(b.state) ||
  b.since.getTime() - a.since.getTime() ||
  (a.kid < b.kid ? -1 : 1);
