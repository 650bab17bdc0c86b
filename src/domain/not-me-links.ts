import type { Clock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { DataEncryption } from '../crypto/data-key.ts';
import { randomToken, tokenHash } from '../crypto/one-time.ts';
import type { User } from '../entities/user.ts';
import { linkTo } from '../mail/links.ts';
import { hasMailbox } from '../mail/outbox.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { type Addition, type Reported, sealReported, takeSnapshot } from './account-snapshot.ts';

export type NotMeLinks = ReturnType<typeof createNotMeLinks>;

/** How long a link "this was not me" works, in seconds (CONTRACT §12.4). */
export const notMeTtlSeconds = 7 * 86_400;

interface Parts {
  config: Config;
  clock: Clock;
  /** Absent without `data_encryption_key`, which `notify_new_sign_in` requires. */
  encryption: DataEncryption | undefined;
  repositories: Repositories;
}

/** An account as it was just before an act. */
export type Before = Reported['before'];

/** Makes the links "this was not me" of emails to the owner (CONTRACT §12.4). While they are off, nothing is read. */
export function createNotMeLinks({ config, clock, encryption, repositories }: Parts) {
  const isOn = config.notifyNewSignIn;
  return {
    isOn,

    /** Returns an account as it is before an act, for the link of the email about it; null while there are no links. */
    before: async (user: User): Promise<Before | null> => (isOn ? takeSnapshot(repositories, user) : null),

    /** Returns the link of an email about what was added or changed; null without a snapshot or a mailbox. */
    async make(
      user: Pick<User, 'id' | 'email'>,
      before: Before | null,
      about: Addition,
    ): Promise<string | null> {
      if (before === null || !hasMailbox(user.email)) return null;
      const token = randomToken();
      const row = { id: tokenHash(token), userId: user.id };
      await repositories.not_me_links.add({
        ...row,
        snapshot: sealReported(encryption!, row, { before, about }),
        expiresAt: new Date(clock.now().getTime() + notMeTtlSeconds * 1000),
      });
      return linkTo(config.urls.notMe, 'token', token).url;
    },
  };
}
