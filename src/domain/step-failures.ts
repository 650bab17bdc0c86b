import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import type { EventHub } from '../events.ts';
import type { Trail } from '../observability/watch.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { User } from '../tables/user.ts';
import { createFailureRows, emptyRow } from './failure-rows.ts';
import type { Notices } from './notices.ts';

export type StepFailures = ReturnType<typeof createStepFailures>;

interface Parts {
  config: Pick<Config, 'maxConsecutiveFailures' | 'limitsDisabled'>;
  repositories: Pick<Repositories, 'password_failures'>;
  notices: Notices;
  events: EventHub;
  views: UserViews;
}

/** After so many wrong second steps the owner is told that somebody knows the password (CONTRACT §9.4). */
const toldAfter = 5;

/** No count reaches it: the largest number that every database stores. */
const unlimited = 2 ** 31 - 1;

const codesOf = (userId: string) => `codes:${userId}`;
const toldOf = (userId: string) => `told:${userId}`;

/**
 * Counts wrong second steps since the last right one, however slowly they come. The person who makes them knows the
 * password, so the owner is mailed at the fifth, once per password. `max_consecutive_failures` bounds them as it bounds
 * wrong passwords. The rows belong to the password: a new one begins anew.
 */
export function createStepFailures({ config, repositories, notices, events, views }: Parts) {
  const rows = createFailureRows(repositories);
  const most =
    config.limitsDisabled || config.maxConsecutiveFailures === 0 ? unlimited : config.maxConsecutiveFailures;

  /** Tells the owner, unless that was done for this password. Of any number of calls at once, one does it. */
  async function tell(user: User, trail: Trail): Promise<void> {
    const none = emptyRow(toldOf(user.id), user.hashedPassword ?? '');
    if ((await rows.count(none, await rows.find(none.subject))) > 1) return;
    await notices.notify('secondStepFailed', user, trail, {}, 'sign_in');
    await events.emit('second_step_failed', { user: views.toUserPublic(user) });
  }

  return {
    /** Opens a guess at the second step of an account. */
    async open(user: User) {
      const none = emptyRow(codesOf(user.id), user.hashedPassword ?? '');
      const row = await rows.find(none.subject);
      return {
        /** Whether no code is accepted any more, until a reset or an unlock; the answers of devices are. */
        isBlocked: row?.password === none.password && row.failures >= most,

        /** Counts a wrong guess. */
        async fail(trail: Trail): Promise<void> {
          if ((await rows.count(none, row)) === toldAfter) await tell(user, trail);
        },

        /** Accepts a right code. Returns false when so many wrong ones have come meanwhile that none is accepted. */
        accept: (): Promise<boolean> => rows.accept(none, most),

        /** Accepts the right answer of a device, whatever was guessed before. */
        acceptCredential: (): Promise<void> => rows.remove(none.subject).then(() => {}),
      };
    },

    /** Accepts codes again, after an operator has unlocked the account. */
    unblock: ({ id }: Pick<User, 'id'>) => rows.remove(codesOf(id)),

    /** Removes what is kept of a deleted account. */
    async clear({ id }: Pick<User, 'id'>): Promise<void> {
      await Promise.all([rows.remove(codesOf(id)), rows.remove(toldOf(id))]);
    },
  };
}
