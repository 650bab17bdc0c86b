import { randomUUID } from 'node:crypto';
import { type Challenge, type ChallengePurpose, challenges } from '../../tables/challenge.ts';
import { type Backend, fromNow } from '../backend.ts';
import { openTable, padded, type Run } from './table.ts';

/** The most set-ups of one kind that an account has under way: far more than people start. */
export const mostSetups = 100;

/** The id of the row that says which work the hashes of imported users take. */
const importedId = 'imported_hashes';
/** It is never removed: nothing tells when the last of those users has signed in. */
const neverEnds = new Date('9999-12-31T00:00:00Z');

/** For how long a repeated request recognises an account that was not finished, in milliseconds: a day. */
const creationMs = 86_400_000;

/** How long the note of a superuser's removal counts whose process has died, in milliseconds. */
const removalMs = 60_000;
const removalId = (userId: string) => `removal-${userId}`;

/** The note that a superuser is being removed, as its own process knows it. */
export type RemovalNote = Pick<Challenge, 'id' | 'value'>;

/** The columns that a new challenge may be without. */
const nothing = { boundTo: null, value: null, userHandle: null, attempts: 0 };

type NewChallenge = Omit<Challenge, keyof typeof nothing> & Partial<Pick<Challenge, keyof typeof nothing>>;

export function createChallenges(backend: Backend, run: Run) {
  const table = openTable(backend, challenges, run);
  return {
    /** Returns false when the id is in use. */
    add: (challenge: NewChallenge) => table.insert({ ...nothing, ...challenge }),

    /**
     * Adds a set-up of an account, and removes the oldest ones beyond a limit, so that starting
     * set-ups cannot fill the table and slow its readers down.
     */
    async addSetup(setup: NewChallenge): Promise<void> {
      const { userId, purpose } = setup;
      const present = await table.findAll({ userId, purpose });
      const newestFirst = present.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
      for (const { id } of newestFirst.slice(mostSetups - 1)) await table.delete({ id });
      await table.insert({ ...nothing, ...setup });
    },

    /** Returns the challenge of this purpose. Ids are URL-safe; no other text can be one. */
    find: async (id: string, purpose: ChallengePurpose) =>
      /^[\w-]{1,100}$/.test(id) ? table.find({ id, purpose }) : null,

    /** Returns a challenge of this purpose that the account has begun, expired or not. */
    findOfUser: (userId: string, purpose: ChallengePurpose) => table.find({ userId, purpose }),

    /** Deletes the challenge. Of several concurrent calls, one returns true and may use what it read. */
    take: async (id: string) => (await table.delete({ id })) > 0,

    /** Claims one of `most` attempts, before the guess is compared. Returns false when none is left. */
    claimAttempt: (id: string, most: number) =>
      table.update({ id, attempts: { $lt: most } }, { increment: { attempts: 1 } }),

    /** Notes that an account is being made: one whose note stays was not finished. */
    noteCreation: (userId: string, now: Date) =>
      table.insert({
        ...{ id: userId, userId, purpose: 'account_creation', createdAt: now },
        ...{ ...nothing, expiresAt: new Date(now.getTime() + creationMs) },
      }),

    /**
     * Notes that a superuser is being removed. Returns what ends the note, or null when somebody else is removing the same one.
     * Times are the database's, so that no process with a wrong clock ignores a note, or leaves one that lasts.
     */
    async noteRemoval(userId: string): Promise<RemovalNote | null> {
      const id = removalId(userId);
      const note = { id, value: randomUUID() };
      await table.delete({ id, expiresAt: { $lte: fromNow(0) } });
      const isNoted = await table.insert({
        ...{ ...nothing, ...note, purpose: 'superuser_removal' },
        ...{ createdAt: fromNow(0), expiresAt: fromNow(removalMs) },
        // It is not the account's own: a take-over, which removes whatever is, does not end it.
        userId: null,
      });
      return isNoted ? note : null;
    },

    endRemoval: (note: RemovalNote) => table.delete({ ...note }),

    /** Returns which of these users, of whom there is at least one, are noted. */
    async listRemovals(userIds: readonly string[]): Promise<ReadonlySet<string>> {
      const id = { $in: padded(userIds.map(removalId)) };
      await table.delete({ id, expiresAt: { $lte: fromNow(0) } });
      const noted = new Set((await table.findAll({ id })).map(note => note.id));
      return new Set(userIds.filter(userId => noted.has(removalId(userId))));
    },

    /** Returns the most work of each family of hashes that were imported. */
    async readImportedWork(): Promise<Map<string, number>> {
      const row = await table.find({ id: importedId, purpose: importedId });
      return new Map(Object.entries(JSON.parse(row?.value ?? '{}') as Record<string, number>));
    },

    /** Adds to that what a hash to be imported takes. Several processes may do so at once (compare-and-set). */
    async addImportedWork({ family, work }: { family: string; work: number }, now: Date): Promise<void> {
      for (;;) {
        const row = await table.find({ id: importedId });
        const known = JSON.parse(row?.value ?? '{}') as Record<string, number>;
        if ((known[family] ?? 0) >= work) return;
        const value = JSON.stringify({ ...known, [family]: work });
        const stored = row
          ? await table.update({ id: importedId, value: row.value }, { set: { value } })
          : await table.insert({
              ...{ ...nothing, id: importedId, userId: null, purpose: importedId },
              ...{ value, createdAt: now, expiresAt: neverEnds },
            });
        if (stored) return;
      }
    },
  };
}
