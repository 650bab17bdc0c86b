import type { Clock } from '../../clock.ts';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { signingAlgorithms } from '../../config/schema/resources.ts';
import { fieldError, GatehouseError } from '../../errors.ts';
import { dayMs } from '../../outgoing/job.ts';
import { say } from '../../words/said.ts';
import type { KeySeal } from './key-seal.ts';
import type { SigningKeyRows } from './rows.ts';
import type { TokenSettings } from './settings.ts';
import { type KeyState, retiredMs, type StoredKey } from './table.ts';

/** How old a ring that is not listed is when the upkeep closes it, in milliseconds. */
const unlistedMs = 3_600_000;

interface Parts {
  config: TokenSettings;
  clock: Clock;
  /** Returns the time by the clock of the database. */
  databaseNow(): Promise<Date>;
  rows: SigningKeyRows;
  seal: KeySeal;
}

/** Returns whether a stored ring is of an algorithm that this version knows, whether or not the configuration lists it. */
export const isAlgorithm = (name: string): name is SigningAlgorithm =>
  (signingAlgorithms as readonly string[]).includes(name);

/** Returns when a key that signs since a moment is planned to be replaced, in milliseconds, or null. */
export const plannedEnd = ({ signingKeyRotationDays: days }: TokenSettings, since: number): number | null =>
  days > 0 ? since + days * dayMs : null;

/**
 * The stored keys that sign access tokens (CONTRACT §16.2), and their changes. Each change is one conditional write of the row
 * of an algorithm, after which a change of another process is seen: so of several processes exactly one promotes a key.
 */
export function createStoredRing({ config, clock, databaseNow, rows, seal }: Parts) {
  const listed = config.signingAlgorithms;
  const isListed = (algorithm: string) => (listed as readonly string[]).includes(algorithm);
  const leadMs = config.signingKeyLeadSeconds * 1000;

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

  /**
   * As `change`, of a ring that the data encryption key opens: whatever is added is encrypted with that key, and a ring of two
   * could be opened with neither.
   * @throws {UnreadableRing}
   */
  const changeOpened = (
    algorithm: string,
    work: (keys: readonly StoredKey[]) => Promise<StoredKey[] | null>,
  ): Promise<boolean> =>
    change(algorithm, async keys => {
      for (const key of keys) seal.unseal(algorithm, key);
      return work(keys);
    });

  /** Returns the keys with `next` in the place of `current`. */
  async function promoted(algorithm: SigningAlgorithm, keys: readonly StoredKey[]): Promise<StoredKey[]> {
    const since = (await databaseNow()).getTime();
    const now = await earlierNow();
    const fresh = await seal.newKey(algorithm, 'next', since);
    const next = nextOf(keys) ?? (await seal.newKey(algorithm, 'next', since));
    const retired = keys
      .filter(({ kid }) => kid !== next.kid)
      .map(key => (key.state === 'retired' ? key : retire(key, since)));
    return [{ ...next, state: 'current', since }, fresh, ...retired.filter(isKept(now))];
  }

  /** @throws {GatehouseError} key_not_published */
  async function assertPublished(keys: readonly StoredKey[]): Promise<void> {
    const readyAt = (nextOf(keys)?.since ?? 0) + leadMs;
    const waitMs = readyAt - (await earlierNow());
    if (waitMs > 0)
      throw new GatehouseError('key_not_published', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }

  const firstKeys = (algorithm: SigningAlgorithm, since: number) =>
    Promise.all([seal.newKey(algorithm, 'current', since), seal.newKey(algorithm, 'next', since)]);

  /** Makes the ring of an algorithm where it is missing, opens it, and encrypts it with the present key. */
  async function openOne(algorithm: SigningAlgorithm): Promise<void> {
    const since = (await databaseNow()).getTime();
    const first = () => firstKeys(algorithm, since);
    if (!(await rows.find(algorithm))) await rows.add(algorithm, await first(), new Date(since));
    await change(algorithm, async keys => {
      const opened = keys.map(key => ({ key, text: seal.unseal(algorithm, key) }));
      const isComplete = currentOf(keys) !== undefined && nextOf(keys) !== undefined;
      if (!isComplete) return [...(await first()), ...keys.filter(({ state }) => state === 'retired')];
      if (!opened.some(({ text }) => text?.isOutdated)) return null;
      return opened.map(({ key, text }) => (text ? seal.sealedWith(algorithm, key, text.text) : key));
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

  const listUnlisted = async () => (await rows.list()).filter(({ id }) => !isListed(id));

  return {
    /**
     * Makes, opens and re-encrypts the rings.
     * @throws {UnreadableRing} when the data encryption key does not open them
     */
    async open(): Promise<void> {
      for (const algorithm of listed) await openOne(algorithm);
      for (const { id } of await listUnlisted()) await closeOne(id);
    },

    /**
     * Closes the rings that a process of a former configuration has opened since the start. While such a process runs it opens
     * its ring again, so a young one stays.
     */
    async closeUnlisted(): Promise<void> {
      const openedBy = (await earlierNow()) - unlistedMs;
      for (const { id, keys } of await listUnlisted())
        if (keys.every(({ state, since }) => state === 'retired' || since <= openedBy)) await closeOne(id);
    },

    /**
     * Rotates the rings whose current key is old enough by both clocks, and `next` published for long enough. Returns their
     * algorithms.
     */
    async rotateAged(): Promise<SigningAlgorithm[]> {
      const isDue = async (keys: readonly StoredKey[]) => {
        const now = await earlierNow();
        const { since: signing = now } = currentOf(keys) ?? {};
        const { since: published = now } = nextOf(keys) ?? {};
        return (plannedEnd(config, signing) ?? Infinity) <= now && published + leadMs <= now;
      };
      const rotated: SigningAlgorithm[] = [];
      if (config.signingKeyRotationDays === 0) return rotated;
      for (const algorithm of listed) {
        const isChanged = await changeOpened(algorithm, async keys =>
          (await isDue(keys)) ? promoted(algorithm, keys) : null,
        );
        if (isChanged) rotated.push(algorithm);
      }
      return rotated;
    },

    /**
     * Rejects an algorithm that the configuration does not list: nothing signs by it, and its ring stays closed.
     * @throws {GatehouseError} invalid_input
     */
    assertListed(algorithms: readonly SigningAlgorithm[]): void {
      if (algorithms.every(isListed)) return;
      const options = listed.map(name => JSON.stringify(name)).join('|');
      throw new GatehouseError('invalid_input', {
        errors: [fieldError('algorithm', say('field_option', { options }))],
      });
    },

    /**
     * Rejects a rotation after which verifiers might not know the key that signs.
     * @throws {GatehouseError} key_not_published
     */
    async assertPublished(algorithms: readonly SigningAlgorithm[]): Promise<void> {
      for (const { id, keys } of await rows.list())
        if (algorithms.some(algorithm => algorithm === id)) await assertPublished(keys);
    },

    /**
     * Has `next` sign from now on, and makes another one. Returns whether this call did.
     * @throws {GatehouseError} key_not_published, when verifiers may not know it yet; not with `force`
     */
    async rotate(algorithm: SigningAlgorithm, force: boolean): Promise<boolean> {
      let before: string | undefined;
      return changeOpened(algorithm, async keys => {
        const present = currentOf(keys)?.kid;
        before ??= present;
        // Another process has rotated meanwhile.
        if (before !== present) return null;
        if (!force) await assertPublished(keys);
        return promoted(algorithm, keys);
      });
    },

    /**
     * Removes a key in any state. In the place of `current`, `next` signs whatever its age is. Returns the state that it had,
     * or null where there is no such key.
     */
    async remove(kid: string): Promise<KeyState | null> {
      const row = (await rows.list()).find(({ keys }) => keys.some(key => key.kid === kid));
      if (!row || !isAlgorithm(row.id)) return null;
      const algorithm = row.id;
      let state: KeyState | null = null;
      const isChanged = await changeOpened(algorithm, async keys => {
        state = keys.find(key => key.kid === kid)?.state ?? null;
        if (state === null) return null;
        const others = keys.filter(key => key.kid !== kid);
        if (state === 'current') return promoted(algorithm, others);
        const since = (await databaseNow()).getTime();
        return state === 'next' ? [...others, await seal.newKey(algorithm, 'next', since)] : others;
      });
      return isChanged ? state : null;
    },

    /** Replaces every key of every listed algorithm, without opening them. Returns the ids of the former keys. */
    async reset(): Promise<string[]> {
      const gone: string[] = [];
      const replace = (algorithm: string, keys: StoredKey[]) =>
        change(algorithm, async former => {
          gone.push(...former.map(({ kid }) => kid));
          return keys;
        });
      for (const algorithm of listed) {
        const since = (await databaseNow()).getTime();
        const keys = await firstKeys(algorithm, since);
        if (!(await rows.add(algorithm, keys, new Date(since)))) await replace(algorithm, keys);
      }
      for (const { id } of await listUnlisted()) await replace(id, []);
      return gone;
    },
  };
}
