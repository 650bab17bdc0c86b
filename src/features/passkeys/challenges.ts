import { v4 as uuidv4 } from 'uuid';
import { type Clock, isCurrent } from '../../clock.ts';
import { GatehouseError } from '../../errors.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { Challenge, ChallengePurpose } from '../../tables/challenge.ts';

/** How long a challenge can be answered, in seconds (CONTRACT §9.3). */
export const challengeSeconds = 300;

interface Parts {
  clock: Clock;
  repositories: Pick<Repositories, 'challenges'>;
}

/** The challenges that browsers have passkeys answer, each once. */
export function createPasskeyChallenges({ clock, repositories: { challenges } }: Parts) {
  return {
    /** Stores a challenge and returns its id. */
    async store(
      purpose: ChallengePurpose,
      value: string,
      bound: Partial<Pick<Challenge, 'userId' | 'boundTo' | 'userHandle'>>,
    ): Promise<string> {
      const id = uuidv4();
      const now = clock.now();
      const challenge = {
        ...{ id, purpose, value, userId: null, createdAt: now },
        expiresAt: new Date(now.getTime() + challengeSeconds * 1000),
        ...bound,
      };
      await (purpose === 'passkey_setup' ? challenges.addSetup(challenge) : challenges.add(challenge));
      return id;
    },

    /**
     * Returns a challenge of this purpose, used up. Of several parallel requests one gets it.
     * @throws {GatehouseError} not_found
     */
    async take(
      id: string,
      purpose: ChallengePurpose,
      isBound: (challenge: Challenge) => boolean,
    ): Promise<Challenge> {
      const challenge = await challenges.find(id, purpose);
      if (!challenge || !isBound(challenge)) throw new GatehouseError('not_found');
      const isOpen = isCurrent(challenge.expiresAt, challengeSeconds, clock.now());
      if (!(await challenges.take(id)) || !isOpen) throw new GatehouseError('not_found');
      return challenge;
    },
  };
}
