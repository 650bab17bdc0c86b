import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { type Clock, isCurrent } from '../../clock.ts';
import { type DataEncryption, UnreadableSecret } from '../../crypto/data-key.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { Authenticator } from '../../tables/authenticator.ts';
import type { Challenge } from '../../tables/challenge.ts';
import { matchingStep, newSecret } from './codes.ts';
import { factor } from './factor.ts';

export type Totp = ReturnType<typeof createTotp>;

/** How long a set-up can be confirmed, in seconds (CONTRACT §9.1). */
const setupSeconds = 600;

interface Parts {
  config: { totpToleranceSteps: number };
  clock: Clock;
  repositories: Pick<Repositories, 'authenticators' | 'challenges'>;
  encryption: DataEncryption;
}

/** The binding of a stored secret: copied to another row, it does not decrypt. */
const boundTo = (userId: string, rowId: string) => ['totp', userId, rowId];

/** Authenticator apps: secrets and the codes made from them (RFC 6238). */
export function createTotp({
  config: { totpToleranceSteps: tolerance },
  clock,
  repositories,
  encryption,
}: Parts) {
  const { authenticators, challenges } = repositories;

  /** Returns the secret of an authenticator; encrypts it again where its key was rotated. */
  async function secretOf(row: Authenticator): Promise<string> {
    const binding = boundTo(row.userId, row.id);
    const { text, isOutdated } = encryption.decrypt(row.secret!, binding);
    if (isOutdated) await authenticators.reencrypt(row, encryption.encrypt(text, binding));
    return text;
  }

  return {
    /** Stores a set-up and returns its id and its secret, which is shown once. */
    async begin(userId: string): Promise<{ id: string; secret: string }> {
      const id = uuidv4();
      const secret = newSecret();
      const now = clock.now();
      await challenges.addSetup({
        id,
        purpose: 'totp_setup',
        userId,
        value: encryption.encrypt(secret, boundTo(userId, id)),
        createdAt: now,
        expiresAt: new Date(now.getTime() + setupSeconds * 1000),
      });
      return { id, secret };
    },

    /** Returns the set-up of this user that can still be confirmed, or null. */
    async findSetup(userId: string, id: string): Promise<Challenge | null> {
      const setup = await challenges.find(id, 'totp_setup');
      const isOpen = setup?.userId === userId && isCurrent(setup.expiresAt, setupSeconds, clock.now());
      return isOpen ? setup : null;
    },

    /** Returns the time step for which this is a code of a set-up, or null for a wrong code. */
    stepOf({ userId, id, value }: Challenge, code: string): number | null {
      const { text } = encryption.decrypt(value!, boundTo(userId!, id));
      return matchingStep(text, code, clock.now(), tolerance);
    },

    /** Returns the authenticator that a confirmed set-up becomes. The code that confirmed it is used up. */
    authenticatorOf({ userId, id, value }: Challenge, name: string, step: number) {
      const { text } = encryption.decrypt(value!, boundTo(userId!, id));
      const now = clock.now();
      const rowId = uuidv7({ msecs: now.getTime() });
      return {
        id: rowId,
        kind: factor.kind,
        name,
        createdAt: now,
        lastUsedAt: null,
        secret: encryption.encrypt(text, boundTo(userId!, rowId)),
        lastStep: step,
        credentialId: rowId,
        publicKey: null,
        userHandle: null,
        signCount: 0,
        transports: null,
        isSynced: false,
      };
    },

    /**
     * Checks a code of one of these authenticators. Returns null for a wrong code or one that was used, else the function
     * that uses it, once: the step of the code is stored by a conditional write, so of any number of uses at once, over any
     * number of processes, one returns true.
     * @throws {UnreadableSecret} when the code is that of no secret that can be read, and there is one that cannot
     */
    async match(rows: readonly Authenticator[], code: string): Promise<(() => Promise<boolean>) | null> {
      const now = clock.now();
      let unreadable: UnreadableSecret | null = null;
      for (const row of rows) {
        try {
          const step = matchingStep(await secretOf(row), code, now, tolerance);
          if (step !== null && step > row.lastStep) return () => authenticators.acceptStep(row.id, step, now);
        } catch (error) {
          if (!(error instanceof UnreadableSecret)) throw error;
          unreadable = error;
        }
      }
      if (unreadable) throw unreadable;
      return null;
    },
  };
}
