import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { Removal } from './removal.ts';

interface Parts {
  repositories: Pick<Repositories, 'users'>;
  removal: Removal;
}

/**
 * Whether an account gives way to the owner of its address: nobody has proved that the address is theirs, and whoever reads
 * its mailbox could take the account over with a reset.
 */
const givesWay = ({ isVerified, isActive, isSuperuser }: User) => !isVerified && isActive && !isSuperuser;

/** Gets the former address of an account back for it (CONTRACT §12.4). */
export function createFormerAddresses({ repositories: { users }, removal }: Parts) {
  return {
    /** Returns whether the address can be had, as far as can be told before. */
    async canHave(email: string): Promise<boolean> {
      const holder = await users.findByEmail(email);
      return holder === null || givesWay(holder);
    },

    /**
     * Removes an account that somebody registered with the address, so as to keep it from its owner. Returns what became of
     * the address.
     */
    async free(email: string): Promise<'free' | 'freed' | 'taken'> {
      const holder = await users.findByEmail(email);
      if (!holder) return 'free';
      if (!givesWay(holder)) return 'taken';
      const { isVerified, isActive, isSuperuser } = holder;
      try {
        // When it changed meanwhile, the caller finds the address taken again.
        const removed = await removal.remove(holder, 'self', { email, isVerified, isActive, isSuperuser });
        return removed ? 'freed' : 'free';
      } catch (error) {
        const stays =
          error instanceof GatehouseError && ['user_in_use', 'refused_by_host'].includes(error.code);
        if (stays) return 'taken';
        throw error;
      }
    },
  };
}
