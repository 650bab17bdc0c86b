import type { Clock } from '../clock.ts';
import { isCurrent } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { UserViews } from '../contract/views/account.ts';
import { randomToken, tokenHash } from '../crypto/one-time.ts';
import { contentionError, GatehouseError } from '../errors.ts';
import type { By, EventHub } from '../events.ts';
import type { MailCap, MailOrigin, MailSlot } from '../limits/mail-cap.ts';
import { within } from '../limits/within.ts';
import { mailLink } from '../mail/links.ts';
import type { Outbox } from '../mail/outbox.ts';
import { addressed } from '../mail/outbox.ts';
import type { ClaimedTask } from '../outgoing/message-queue.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import type { PendingRegistration } from '../tables/pending-registration.ts';
import type { User } from '../tables/user.ts';
import { mostTries } from './contention.ts';
import type { Deferred } from './deferred.ts';
import type { ChosenPassword } from './new-passwords.ts';
import { newUser } from './new-user.ts';
import type { SentLink } from './password-links.ts';

export type Verification = ReturnType<typeof createVerification>;
export type Registering = Pick<
  User,
  'email' | 'fullName' | 'hashedPassword' | 'passwordForm' | 'locale' | 'fields'
>;

interface Parts {
  config: Config;
  clock: Clock;
  repositories: Repositories;
  outbox: Outbox;
  events: EventHub;
  mailCap: MailCap;
  deferred: Deferred;
  views: UserViews;
}

/** Sends and redeems links that verify an address, for its owner, a registration or an administrator. */
export function createVerification(parts: Parts) {
  const { config, clock, repositories, outbox, events, mailCap, deferred } = parts;
  const { toUserPublic } = parts.views;
  const { users, pending } = repositories;
  const ttlSeconds = config.verificationTokenTtlSeconds;
  const postNothing = deferred.define('nothing', 'verification', async () => {});

  function newLink() {
    const token = randomToken();
    const expiresAt = new Date(clock.now().getTime() + ttlSeconds * 1000);
    return { token, tokenHash: tokenHash(token), expiresAt };
  }

  async function postLink(
    { email, locale }: Pick<User, 'email' | 'locale'>,
    token: string,
    slot: MailSlot,
    task?: ClaimedTask,
  ): Promise<void> {
    const link = mailLink(config, 'verify', token, locale);
    const announce = () => events.emit('verification_requested', { email, ...link }, task?.id);
    // With a stored task, the event comes first: the email replaces the task, which could not be repeated after a stop then.
    if (task) await within(slot, announce);
    await outbox.post('verification', { ...addressed(email, locale), url: link.url, ttlSeconds }, slot, task);
    if (!task) await announce();
  }

  /** Returns whether the row is a registration whose link is still valid. */
  const isPending = (row: PendingRegistration) =>
    row.userId === null && isCurrent(row.expiresAt, ttlSeconds, clock.now());

  const pendingOf = (row: PendingRegistration | null) => (row && isPending(row) ? row : null);

  /**
   * Stores a registration, or marks the pending one as contested. One statement decides which of the two, so that after
   * several registrations at once no password is in force. Without an email the pending link stays as it is.
   * @throws {GatehouseError} email_taken, when the pending registration is being made a user
   */
  async function storeRegistration(
    registration: PendingRegistration,
    { isMailed }: { isMailed: boolean },
  ): Promise<void> {
    const { email, tokenHash, fullName, locale, fields, fieldsAt, createdAt, expiresAt } = registration;
    const replacement = isMailed
      ? { tokenHash, fullName, locale, fields, fieldsAt, createdAt, expiresAt }
      : {};
    for (let tries = 0; tries < mostTries; tries++) {
      if (await pending.contest(email, clock.now(), replacement)) return;
      if (await pending.add(registration)) return;
      const row = await pending.find(email);
      if (row && isPending(row)) {
        if (row.claimedAt) throw new GatehouseError('email_taken');
        // It was stored after the first statement: the next try marks it as contested.
        continue;
      }
      if (row && (await pending.supersede(row, registration))) return;
    }
    throw contentionError();
  }

  /**
   * Stores the verification of a user in place of what is pending beside it. Returns false when the user does not have the
   * address any more. The user is read after the row: whoever registers the address once the user has left it changes the row,
   * which then is not replaced.
   */
  async function storeVerification(verification: PendingRegistration & { userId: string }): Promise<boolean> {
    const { email, userId } = verification;
    for (let tries = 0; tries < mostTries; tries++) {
      const beside = await pending.find(email);
      if ((await users.find(userId))?.email !== email) return false;
      if (await (beside ? pending.supersede(beside, verification) : pending.add(verification))) return true;
    }
    throw contentionError();
  }

  return {
    /**
     * Stores a registration and sends its link by email. Returns when the link expires. Beyond the cap of this address no
     * email is sent and no link is replaced, and the result is the same (account enumeration). With a task, this is work after
     * a response.
     * @throws {GatehouseError} email_taken
     */
    async register(fields: Registering, origin: MailOrigin = {}, task?: ClaimedTask): Promise<Date> {
      const { email } = fields;
      const { token, ...link } = newLink();
      const createdAt = clock.now();
      const row = { userId: null, isContested: false, claimedAt: null, createdAt, fieldsAt: createdAt };
      const slot = await mailCap.take('verification', email, origin);
      await within(slot, async () => {
        await storeRegistration({ ...fields, ...link, ...row }, { isMailed: slot !== null });
        // The address may have become an account after the caller looked for one: then the link is not needed any more.
        if (await users.findByEmail(email)) {
          await pending.consume({ email, ...link });
          throw new GatehouseError('email_taken');
        }
      });
      if (slot) await postLink(fields, token, slot, task);
      // The response is the same without an email, and so is its work (account enumeration, timing attack).
      else if (!task) await postNothing({ email });
      return link.expiresAt;
    },

    /**
     * Sends a link that verifies an existing user. Beyond the cap of the address nothing happens. Returns `changed` when the
     * user does not have this address any more: what waits there is of somebody else then.
     */
    async sendTo(
      { email, id, locale }: User,
      origin: MailOrigin = {},
      task?: ClaimedTask,
    ): Promise<SentLink> {
      const slot = await mailCap.take('verification', email, { subject: id, ...origin });
      if (!slot) return 'capped';
      const { token, ...link } = newLink();
      const none = {
        ...{ hashedPassword: null, passwordForm: null, fullName: null },
        ...{ claimedAt: null, locale, fields: null, fieldsAt: null },
      };
      const row = { email, userId: id, createdAt: clock.now(), isContested: false };
      const isStored = await within(slot, () => storeVerification({ ...row, ...none, ...link }));
      if (!isStored) {
        await slot.release();
        return 'changed';
      }
      await postLink({ email, locale }, token, slot, task);
      return 'sent';
    },

    /**
     * Sends another link for a registration as it was read. Returns `changed` when the registration was replaced since:
     * the link of the replacement is the newer one.
     */
    async resend(row: PendingRegistration, origin: MailOrigin = {}, task?: ClaimedTask): Promise<SentLink> {
      const slot = await mailCap.take('verification', row.email, origin);
      if (!slot) return 'capped';
      const { token, ...fresh } = newLink();
      if (!(await within(slot, () => pending.renew(row, fresh)))) {
        await slot.release();
        return 'changed';
      }
      await postLink(row, token, slot, task);
      return 'sent';
    },

    /** Returns the registration, or the verification of an existing user, whose link has this token; null when expired. */
    async findByToken(token: string): Promise<PendingRegistration | null> {
      const row = await pending.findByTokenHash(tokenHash(token));
      return row && isCurrent(row.expiresAt, ttlSeconds, clock.now()) ? row : null;
    },

    /** Returns when the link of a registration of now expires. */
    expiryOfLink: () => new Date(clock.now().getTime() + ttlSeconds * 1000),

    /** Returns a row that is a registration whose link is still valid, or null. */
    pendingOf,

    /** Returns the registration of this address that waits for its confirmation, or null. */
    findPending: async (email: string) => pendingOf(await pending.find(email)),

    /**
     * Makes a verified user of a registration, or returns null when its address already has an account. A given password
     * replaces the registered one; a contested registration has none. `read` finds the registration, and is called again
     * when it was changed since. The registration is claimed first, so that no other registration is accepted between the
     * claim and the insertion of the user. Its row is removed last, so that after a stop in between the link still works.
     */
    async createUser(
      read: () => Promise<PendingRegistration>,
      by: By,
      password?: ChosenPassword,
    ): Promise<User | null> {
      for (let tries = 0; tries < mostTries; tries++) {
        const row = await read();
        if (!(await pending.claim(row, clock.now()))) continue;
        const { email, fullName, locale, fields } = row;
        const { hashedPassword, passwordForm } = password ?? (row.isContested ? noPassword : row);
        const passwordSetAt = password?.passwordSetAt ?? (hashedPassword === null ? null : row.createdAt);
        const given = { email, fullName, locale, fields, hashedPassword, passwordForm, passwordSetAt };
        const now = clock.now();
        const user = newUser(now, { ...given, signedUpAt: now, isVerified: true });
        if (!(await users.add(user))) {
          await pending.consume(row);
          return null;
        }
        await pending.remove(email);
        const view = toUserPublic(user);
        await events.emit('user_registered', { user: view, by });
        await events.emit('user_verified', { user: view });
        return user;
      }
      throw contentionError();
    },
  };
}

/** The columns of an account without a password. */
const noPassword = { hashedPassword: null, passwordForm: null };
