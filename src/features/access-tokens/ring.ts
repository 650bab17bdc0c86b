import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { signingAlgorithms } from '../../config/schema/resources.ts';
import type { DataEncryption } from '../../crypto/data-key.ts';
import { GatehouseError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { createKeySeal } from './key-seal.ts';
import { openPrivate, openPublic, publicPartOf } from './keys.ts';
import type { SigningKeyRows } from './rows.ts';
import type { TokenSettings } from './settings.ts';
import { createStoredRing, isAlgorithm, plannedEnd } from './stored-ring.ts';
import { type KeyState, keyStates, retiredMs, type StoredKey } from './table.ts';

export type Ring = ReturnType<typeof createRing>;

/** How old a copy of the ring may be that serves a request, in milliseconds. */
const freshMs = 30_000;
/** How often an unknown id reads the ring, in milliseconds. */
const unknownMs = 1000;
/** How long the keys in memory serve after a read that failed, in milliseconds: each read may wait for the database. */
const retryMs = 5000;

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

/** The keys that sign access tokens (CONTRACT §16.2), as this process has them in memory. */
export function createRing({ config, clock, rows, encryption, logger, ...parts }: Parts) {
  const { monotonic = () => performance.now(), onAged, databaseNow } = parts;
  const seal = createKeySeal(encryption);
  const stored = createStoredRing({ config, clock, databaseNow, rows, seal });
  let copy: Copy | null = null;
  let reading: Promise<Copy> | null = null;
  let soughtAt = Number.NEGATIVE_INFINITY;
  let failed: { error: unknown; at: number } | null = null;
  const removed = new Set<string>();

  function inMemory(algorithm: SigningAlgorithm, key: StoredKey): RingKey {
    const { kid, state, since } = key;
    const publicJwk = publicPartOf(key.publicJwk);
    const opened = seal.unseal(algorithm, key);
    return {
      ...{ kid, algorithm, state, since: new Date(since), publicJwk },
      publicKey: openPublic(publicJwk),
      privateKey: opened && openPrivate(opened.text),
      isUpToDate: !opened?.isOutdated,
    };
  }

  /** Reads every ring. A copy keeps the objects of keys that have not changed, which are dear to make. */
  async function read(): Promise<Copy> {
    const readAt = monotonic();
    const known = new Map(copy?.keys.map(key => [`${key.kid} ${key.state}`, key]));
    const keys = (await rows.list()).flatMap(({ id, keys }) =>
      isAlgorithm(id)
        ? keys.map(each => {
            const former = known.get(`${each.kid} ${each.state}`);
            return former?.isUpToDate ? former : inMemory(id, each);
          })
        : [],
    );
    copy = { keys: keys.toSorted(byPlace), readAt };
    failed = null;
    return copy;
  }

  /** Reads once for all that wait. */
  function refresh(): Promise<Copy> {
    reading ??= read()
      .catch(error => {
        failed = { error, at: monotonic() };
        if (copy !== null)
          logger.warn({ err: error }, 'the signing keys cannot be read, and those in memory are used');
        throw error;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  /** Reads after a change: a read that has begun already may not have seen it. */
  async function refreshAfterChange(): Promise<void> {
    await reading?.catch(() => {});
    await refresh();
  }

  const isWithin = (at: number, ms: number) => monotonic() - at < ms;

  /** Returns a copy that is young enough; while the database is down, the one that there is. */
  async function keysNow(oldestMs = freshMs): Promise<readonly RingKey[]> {
    const hasFailed = failed !== null && isWithin(failed.at, retryMs);
    if (copy !== null && (isWithin(copy.readAt, oldestMs) || hasFailed)) return copy.keys;
    try {
      const { keys } = await refresh();
      rotateLater();
      return keys;
    } catch (error) {
      if (copy === null) throw error;
      return copy.keys;
    }
  }

  /** Without a timer: the request that reads the ring looks whether a key in memory is old enough. */
  function rotateLater(): void {
    const now = clock.now().getTime();
    const isAged = ({ state, since }: RingKey) =>
      state === 'current' && (plannedEnd(config, since.getTime()) ?? Infinity) <= now;
    if (copy?.keys.some(isAged)) onAged?.();
  }

  return {
    /**
     * Makes, opens and re-encrypts the rings, at a start.
     * @throws {UnreadableRing} when the data encryption key does not open them
     * @throws {GatehouseError} unavailable
     */
    async open(): Promise<void> {
      await stored.open();
      await refreshAfterChange();
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
        throw new GatehouseError('unavailable', { retryAfterSeconds: 2, cause: new Error('no signing key') });
      return { ...opened, privateKey: opened.privateKey };
    },

    /**
     * Returns the key of a token, or null where there is none. An unknown one reads the ring, at most each second; a token that
     * comes meanwhile waits for that read, and a read that failed says nothing of its key.
     * @throws {GatehouseError} unavailable
     */
    async find(kid: string): Promise<RingKey | null> {
      if (removed.has(kid)) return null;
      const found = (keys: readonly RingKey[]) => keys.find(key => key.kid === kid) ?? null;
      const known = found(await keysNow());
      if (known) return known;
      if (reading === null) {
        if (failed !== null && isWithin(failed.at, unknownMs)) throw failed.error;
        if (isWithin(soughtAt, unknownMs)) return null;
        soughtAt = monotonic();
      }
      return found((await refresh()).keys);
    },

    /**
     * Has `next` of each algorithm sign from now on. Nothing changes where verifiers may not know one of them yet; an outage
     * between two of them leaves the first one rotated. Returns the algorithms that this call has rotated.
     * @throws {GatehouseError} invalid_input, for an algorithm that is not listed; key_not_published, not with `force`
     */
    async rotate(
      algorithms: readonly SigningAlgorithm[],
      { force = false } = {},
    ): Promise<SigningAlgorithm[]> {
      stored.assertListed(algorithms);
      if (!force) await stored.assertPublished(algorithms);
      const rotated: SigningAlgorithm[] = [];
      for (const algorithm of algorithms) if (await stored.rotate(algorithm, force)) rotated.push(algorithm);
      await refreshAfterChange();
      return rotated;
    },

    /** Rotates the rings that are due, and closes those that are no longer listed. Returns the algorithms of the former. */
    async rotateAged(): Promise<SigningAlgorithm[]> {
      await stored.closeUnlisted();
      const rotated = await stored.rotateAged();
      if (rotated.length > 0) await refreshAfterChange();
      return rotated;
    },

    /** Removes a key, which this process refuses at once. Returns the state that it had, or null where there is no such key. */
    async remove(kid: string): Promise<KeyState | null> {
      const state = await stored.remove(kid);
      if (state === null) return null;
      removed.add(kid);
      await refreshAfterChange();
      return state;
    },

    /** Replaces every key of every listed algorithm, without opening them: all tokens end. */
    async reset(): Promise<void> {
      for (const kid of await stored.reset()) removed.add(kid);
      await refreshAfterChange();
    },

    /** Returns when the state of a key is planned to end, or null. */
    endOf({ state, since, algorithm }: RingKey): Date | null {
      if (state === 'retired') return new Date(since.getTime() + retiredMs);
      const signing = copy?.keys.find(key => key.algorithm === algorithm && key.state === 'current');
      const end = signing ? plannedEnd(config, signing.since.getTime()) : null;
      return end === null ? null : new Date(end);
    },
  };
}

/** By algorithm, then `current`, `next`, `retired`, the youngest of those first. */
const byPlace = (a: RingKey, b: RingKey): number =>
  signingAlgorithms.indexOf(a.algorithm) - signingAlgorithms.indexOf(b.algorithm) ||
  keyStates.indexOf(a.state) - keyStates.indexOf(b.state) ||
  b.since.getTime() - a.since.getTime() ||
  (a.kid < b.kid ? -1 : 1);
