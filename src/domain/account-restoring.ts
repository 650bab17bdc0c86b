import type { Clock } from '../clock.ts';
import type { UserViews } from '../contract/views/account.ts';
import { toAuthenticatorView } from '../contract/views/authenticators.ts';
import type { DataEncryption } from '../crypto/data-key.ts';
import { stopHash } from '../crypto/stopped-password.ts';
import type { NotMeLink } from '../entities/not-me-link.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { EventHub } from '../events.ts';
import type { Repositories } from '../storage/repositories/index.ts';
import { type AccountSnapshot, type Addition, digestsOf, openReported } from './account-snapshot.ts';
import { notRevokedSince } from './authentication.ts';
import type { Authenticators } from './authenticators.ts';
import { createFormerAddresses } from './former-addresses.ts';
import type { Removal } from './removal.ts';
import { inWords, type Planted } from './restored-words.ts';

interface Parts {
  clock: Clock;
  repositories: Repositories;
  encryption: DataEncryption;
  authenticators: Authenticators;
  removal: Removal;
  events: EventHub;
  views: UserViews;
}

/** An account that was put back, and what that took. */
export interface Restored {
  user: User;
  /** Whether another account has the former address, so that the present one stayed. */
  isEmailTaken: boolean;
  /** In the names of the API, for the audit and the event: `authenticators:2`. */
  changes: string[];
  /** Sentences for the owner. */
  sentences: string[];
}

/** How often removing is repeated while somebody keeps adding. */
const mostRounds = 10;

/** Puts an account back as it was before what an email reported (CONTRACT §12.4). */
export function createAccountRestoring(parts: Parts) {
  const { clock, repositories, encryption, authenticators: rules, events, views } = parts;
  const { users, pending, authenticators, oauth_identities, recovery_codes } = repositories;
  const { mfa_codes, challenges, not_me_links, sign_in_places } = repositories;
  const addresses = createFormerAddresses(parts);

  /**
   * Returns whether something was added in a time that a link says nothing about, and so is never touched. That is after
   * the account was put back with another link; and, for a password that was itself set with a link in an email, after
   * another one was set so: whoever reads the mailbox could have chosen the former, and may not strip the owner of what
   * the owner added later. Neither counts once the account has left the address that the link was sent to: an intruder
   * who moved it gets such emails, too.
   */
  async function keeperOf(link: NotMeLink, before: AccountSnapshot, user: User) {
    const links = await not_me_links.listByUser(link.userId);
    const reports = links.map(row => ({ row, reported: openReported(encryption, row) }));
    // A move that was undone with its own link is none.
    const move = reports.find(
      ({ row, reported }) =>
        row.createdAt >= link.createdAt &&
        row.state !== 'done' &&
        reported?.about?.startsWith('email:') &&
        reported.before.email === before.email,
    );
    const last = move?.reported?.before ?? (user.email === before.email ? null : before);
    const isLater = ({ restorations, passwordMails }: Pick<User, 'restorations' | 'passwordMails'>) =>
      Math.min(restorations ?? 0, last?.restorations ?? Number.POSITIVE_INFINITY) > before.restorations ||
      (before.passwordMails > 0 &&
        Math.min(passwordMails ?? 0, last?.passwordMails ?? Number.POSITIVE_INFINITY) > before.passwordMails);
    // The latest of each wins.
    const known = new Map(
      reports.flatMap(({ reported }) => (reported ? [[reported.about, isLater(reported.before)]] : [])),
    );
    const mayKeep = isLater(user);
    return {
      keeps: (about: Addition, byDefault = true) => mayKeep && (known.get(about) ?? byDefault),
      /** The links whose "just before" is a part of what is being undone. */
      disowned: ({ id, createdAt }: NotMeLink) =>
        reports
          .filter(({ row }) => row.id !== id && row.createdAt >= createdAt)
          .filter(({ reported }) => reported === null || !isLater(reported.before))
          // The former mailbox keeps the link of the email about this address, whatever the new one is sent.
          .filter(({ reported }) => reported?.about !== `email:${before.email}`)
          .map(({ row }) => row.id),
    };
  }
  type Keeper = Awaited<ReturnType<typeof keeperOf>>;

  async function findPlanted(userId: string, before: AccountSnapshot, { keeps }: Keeper): Promise<Planted> {
    const isNew = ({ id }: { id: string }, known: string[]) => !known.includes(id);
    const added = (await authenticators.listByUser(userId)).filter(row => isNew(row, before.authenticators));
    const linked = (await oauth_identities.listByUser(userId)).filter(row => isNew(row, before.identities));
    const planted = added.filter(({ id }) => !keeps(`authenticator:${id}`));
    const digests = digestsOf(await recovery_codes.find(userId));
    // The first codes come with a factor, and stay with it.
    const keepsCodes = keeps('recovery_codes', planted.length < added.length);
    return {
      authenticators: planted,
      identities: linked.filter(({ id }) => !keeps(`identity:${id}`)),
      hasOtherCodes: !keepsCodes && digests.some(digest => !before.recoveryCodes.includes(digest)),
    };
  }

  async function remove(userId: string, { authenticators: rows, identities, hasOtherCodes }: Planted) {
    for (const { id } of rows) await authenticators.remove(userId, id);
    for (const { id } of identities) await oauth_identities.remove(id);
    if (hasOtherCodes) await recovery_codes.remove(userId);
  }

  /**
   * Ends every session and puts the fields of the user back, in one write. Returns null when the account changed since it
   * was read.
   */
  async function rewrite(
    user: User,
    before: AccountSnapshot,
    { keeps }: Keeper,
    newHash: string | null,
    isEmailTaken: boolean,
  ) {
    const { phoneNumber, email } = user;
    const now = clock.now();
    const hasOtherPhone =
      phoneNumber !== null && phoneNumber !== before.phoneNumber && !keeps(`phone:${phoneNumber}`);
    const hasOtherEmail = email !== before.email && !isEmailTaken && !keeps(`email:${email}`);
    const set = {
      hashedPassword: newHash ?? stopHash(user.hashedPassword),
      updatedAt: new Date(Math.max(now.getTime(), user.updatedAt.getTime() + 1)),
      ...(hasOtherPhone && {
        phoneNumber: before.phoneNumber,
        ...(before.phoneNumber !== null && { isMfaEnabled: true }),
      }),
      ...(hasOtherEmail && { isVerified: before.isVerified }),
    };
    const change = { set, cutOffAt: now };
    const only = notRevokedSince(user);
    return hasOtherEmail
      ? users.changeEmail(user.id, before.email, change, only)
      : users.change(user.id, change, only);
  }

  /** Tells the host of what was undone. */
  async function announce(first: User, user: User, planted: Planted): Promise<void> {
    const view = views.toUserPublic(user);
    for (const row of planted.authenticators) {
      await events.emit('authenticator_removed', {
        user: view,
        authenticator: toAuthenticatorView(row),
        by: 'self',
      });
    }
    for (const { provider } of planted.identities) {
      await events.emit('oauth_account_unlinked', { user: view, provider });
    }
    if (first.email !== user.email)
      await events.emit('email_changed', { user: view, by: 'self', previous_email: first.email });
    if (first.isMfaEnabled && !user.isMfaEnabled) await events.emit('mfa_disabled', { user: view });
  }

  return {
    canHave: addresses.canHave,

    /**
     * Puts an account back as it was before what the email of a link reported, and sets the password, or stops the present
     * one. Each round first ends the sessions and then removes what was added: so of somebody who is adding at this moment
     * either the end of the session is noticed there, or what was added is seen here. It is done when a round finds
     * nothing. Stopping in between is safe: the same link does it again. Returns null when the account is gone.
     * @throws {GatehouseError} unavailable
     */
    async restore(
      link: NotMeLink,
      before: AccountSnapshot,
      newHash: string | null,
    ): Promise<Restored | null> {
      const { userId } = link;
      const first = await users.find(userId);
      if (!first?.isActive) return null;
      const keeper = await keeperOf(link, before, first);
      const all: Planted = { authenticators: [], identities: [], hasOtherCodes: false };
      let isEmailTaken = false;
      let isFreed = false;
      for (let round = 0; ; round++) {
        if (round === mostRounds) throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
        const user = await users.find(userId);
        // Whatever voids the link (an operator who takes the account over) then changes the account, which is noticed below.
        if (!user?.isActive || !(await not_me_links.find(link.id))) return null;
        const changed = await rewrite(user, before, keeper, newHash, isEmailTaken);
        if (changed === 'email_taken') {
          const became = await addresses.free(before.email);
          isEmailTaken = became === 'taken';
          isFreed ||= became === 'freed';
        }
        if (changed === null || changed === 'email_taken') continue;
        await mfa_codes.removeAll(userId);
        await challenges.removeAll(userId);
        await sign_in_places.removeAll(userId);
        const planted = await findPlanted(userId, before, keeper);
        if (planted.authenticators.length + planted.identities.length === 0 && !planted.hasOtherCodes) break;
        await remove(userId, planted);
        all.authenticators.push(...planted.authenticators);
        all.identities.push(...planted.identities);
        all.hasOtherCodes ||= planted.hasOtherCodes;
      }
      await rules.removeCodesIfNoneIsLeft(userId);
      await rules.switchOffIfNoneIsLeft(userId);
      // What the owner adds from now on is not touched by a link from before.
      const restorations = (first.restorations ?? 0) + 1;
      const user = await users.change(userId, { set: { restorations } });
      if (!user) return null;
      for (const id of (await keeperOf(link, before, first)).disowned(link)) await not_me_links.remove(id);
      if (first.email !== user.email) {
        await Promise.all([pending.remove(user.email), pending.remove(first.email)]);
      }
      await announce(first, user, all);
      return { user, isEmailTaken, ...inWords(first, user, all, isFreed) };
    },
  };
}
