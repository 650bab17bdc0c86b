import { randomToken, tokenHash } from '../crypto/one-time.ts';
import type { PendingRegistration } from '../entities/pending-registration.ts';
import type { User } from '../entities/user.ts';
import { linkTo } from '../mail/links.ts';
import type { Dependencies } from './dependencies.ts';
import { newUser } from './new-user.ts';
import { toUserPublic } from './views.ts';

export type Verification = ReturnType<typeof createVerification>;
type Row = Omit<PendingRegistration, 'tokenHash' | 'expiresAt'>;
type Parts = Pick<Dependencies, 'config' | 'clock' | 'repositories' | 'outbox' | 'events' | 'mailCap'>;

/** Links that verify an address, for whoever asks for one: the owner, a registration, an administrator. */
export function createVerification({ config, clock, repositories, outbox, events, mailCap }: Parts) {
  const { users, pending } = repositories;
  const ttlSeconds = config.verificationTokenTtlSeconds;

  function newLink() {
    const token = randomToken();
    const expiresAt = new Date(clock.now().getTime() + ttlSeconds * 1000);
    return { token, tokenHash: tokenHash(token), expiresAt };
  }

  function announce(email: string, token: string): void {
    const link = linkTo(config.urls.verify, 'token', token);
    outbox.post('verification', { to: email, url: link.url, ttlSeconds });
    events.emit('verification_requested', { email, ...link });
  }

  return {
    /**
     * Stores the row with a fresh link and mails it; the link before is dead. Beyond the cap of this address nothing
     * is sent and nothing replaced, and the answer is null.
     */
    async request(row: Row): Promise<Date | null> {
      if (!(await mailCap.take('verification', row.email))) return null;
      const { token, ...fresh } = newLink();
      await pending.replace({ ...row, ...fresh });
      announce(row.email, token);
      return fresh.expiresAt;
    },

    /**
     * Mails another link for a registration as it was read; when it was replaced since, that one's link is the newer.
     */
    async resend(row: PendingRegistration): Promise<void> {
      if (!(await mailCap.take('verification', row.email))) return;
      const { token, ...fresh } = newLink();
      if (await pending.renew(row, fresh)) announce(row.email, token);
    },

    /** The row that verifies a user who is there already. */
    rowFor: (user: User): Row => ({
      email: user.email,
      userId: user.id,
      hashedPassword: null,
      fullName: null,
      createdAt: clock.now(),
    }),

    /**
     * Makes a pending registration a verified user, or answers null when its address has one. The user is stored
     * before the row is taken: a stop in between loses nothing, and the unique address decides.
     */
    async becomeUser(row: PendingRegistration): Promise<User | null> {
      const { email, fullName, hashedPassword } = row;
      const user = newUser(clock.now(), { email, fullName, hashedPassword, isVerified: true });
      const added = await users.add(user);
      await pending.take(row);
      if (!added) return null;
      const view = toUserPublic(user);
      events.emit('user_registered', { user: view });
      events.emit('user_verified', { user: view });
      return user;
    },
  };
}
