import { isCurrent } from '../clock.ts';
import { reportNotMeInput } from '../contract/inputs/not-me.ts';
import { NotMeView } from '../contract/views/not-me.ts';
import { type DataEncryption, UnreadableSecret } from '../crypto/data-key.ts';
import { tokenHash } from '../crypto/one-time.ts';
import { stopHash } from '../crypto/stopped-password.ts';
import { createAccountRestoring, type Restored } from '../domain/account-restoring.ts';
import { openReported, type Reported } from '../domain/account-snapshot.ts';
import { notRevokedSince } from '../domain/authentication.ts';
import type { Caller } from '../domain/caller.ts';
import { mostTries } from '../domain/contention.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { notMeTtlSeconds } from '../domain/not-me-links.ts';
import { createNotMeLock } from '../domain/not-me-lock.ts';
import type { NotMeLink } from '../entities/not-me-link.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import type { Trail } from '../observability/watch.ts';
import { normalisePassword } from '../password-text.ts';

/** The link "this was not me" of emails to an owner, in two steps (CONTRACT §12.4). */
export function createNotMe(parts: Dependencies, encryption: DataEncryption) {
  const { config, clock, repositories, passwords, events, views, define } = parts;
  const { hasher } = passwords;
  const { lockout, consecutiveFailures } = parts.limits;
  const { passwordLinks, notices } = parts.mails;
  const { users, not_me_links: links, sign_in_places: places } = repositories;
  const restoring = createAccountRestoring({ ...parts, ...parts.strongSignIn, encryption });
  const lock = createNotMeLock(parts);
  const help = config.supportContact === undefined ? '' : ` Ask ${config.supportContact} for help.`;
  const mostFailures = config.limitsDisabled ? 0 : config.maxConsecutiveFailures;

  /** Returns a link that can still be used, and its account. @throws {GatehouseError} invalid_token */
  async function find(id: string): Promise<{ user: User; link: NotMeLink }> {
    const user = await users.find((await links.find(id))?.userId ?? '');
    // Read after the account, so that a change of the account between both is noticed when the account is changed.
    const link = await links.find(id);
    const isGood = link && link.state !== 'done' && isCurrent(link.expiresAt, notMeTtlSeconds, clock.now());
    if (!isGood || !user?.isActive) throw new GatehouseError('invalid_token');
    return { user, link };
  }

  /** Ends every session, and stops the password until it is reset: no more than a reset lets the reader of a mailbox. */
  async function report(id: string, trail: Trail): Promise<NotMeView> {
    for (let tries = 0; tries < mostTries; tries++) {
      const { user, link } = await find(id);
      trail.subject = user.id;
      // Read again after the lock: the link may have put the account back since.
      const isFree = !(await lock.isHeldBy(link)) && (await links.find(id))?.state === 'open';
      if (!isFree) throw new GatehouseError('invalid_token');
      const now = clock.now();
      const set = { hashedPassword: stopHash(user.hashedPassword), updatedAt: now };
      const changed = await users.change(user.id, { set, cutOffAt: now }, notRevokedSince(user));
      if (!changed) continue;
      if (!(await links.advance(link, 'reported'))) throw new GatehouseError('invalid_token');
      await places.removeAll(user.id);
      trail.changes = ['sessions', ...(user.hashedPassword === null ? [] : ['password'])];
      const before = openReported(encryption, link)?.before;
      const hasPassword = user.hashedPassword !== null;
      // Also to the address that the link was sent to, where that is not the account's.
      for (const email of new Set([user.email, before?.email ?? user.email])) {
        await notices.notify('notMeReported', { ...user, email }, trail, { hasPassword });
      }
      await events.emit('not_me_reported', { user: views.toUserPublic(changed) });
      return reportedView(before?.hashedPassword != null);
    }
    throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
  }

  const reportedView = (hadPassword: boolean): NotMeView => ({
    message: hadPassword
      ? 'Every session has ended, and the password no longer signs in until it is reset. With the password from before, what was added since can be removed.'
      : `Every session has ended.${help}`,
    password_needed: hadPassword,
  });

  /**
   * Checks the former password. A wrong one is also a failed sign-in of the account; but failed sign-ins don't lock the link:
   * an intruder could keep the owner out with them until it expires. @throws {GatehouseError} account_locked, wrong_password
   */
  async function checkPassword(
    { user, link }: { user: User; link: NotMeLink },
    hash: string | null,
    password: string,
    caller: Caller,
    trail: Trail,
  ): Promise<() => Promise<void>> {
    const guess = await lockout.open({ notMe: link.id });
    const counted = await consecutiveFailures.open(user, user.email);
    const isOpen = mostFailures === 0 || link.failures < mostFailures;
    const isRight = (await hasher.verify(hash, password, user.id)) && isOpen;
    const release = await guess.decide(isRight, caller.ip);
    if (isRight) return release;
    await lockout.count({ login: user.email }, caller.ip);
    await links.fail(link.id);
    await counted.decide(false, trail);
    throw new GatehouseError('wrong_password', { detail: 'This is not the password from before.' });
  }

  /** Returns the hash of the password to set, or null. @throws {GatehouseError} password_unchanged, invalid_input */
  async function hashNew(user: User, before: Reported['before'], password: string, chosen: string | null) {
    if (chosen !== null) {
      if (chosen === normalisePassword(password))
        throw new GatehouseError('password_unchanged', { detail: 'The new password is the former one.' });
      return passwords.hash(chosen, { ...user, email: before.email, field: 'new_password' });
    }
    const isTaken = user.email !== before.email && !(await restoring.canHave(before.email));
    if (!config.enablePasswordReset) throw required('new_password', 'is required');
    if (isTaken)
      throw required('new_password', 'is required, because the former address has another account');
    return null;
  }

  /** Removes what was added since, and puts back what was changed. */
  async function restore(
    id: string,
    password: string,
    chosen: string | null,
    caller: Caller,
    trail: Trail,
  ): Promise<NotMeView> {
    const { user, link } = await find(id);
    trail.subject = user.id;
    const reported = openReported(encryption, link);
    if (!reported) throw new UnreadableSecret();
    const { before } = reported;
    const release = await checkPassword({ user, link }, before.hashedPassword, password, caller, trail);
    const restored = await hashNew(user, before, password, chosen)
      .then(hash =>
        lock.hold(
          link,
          () => find(id),
          () => restoring.restore(link, before, hash),
        ),
      )
      .finally(release);
    if (!restored) throw new GatehouseError('invalid_token');
    await lockout.clearPassword(user);
    await lockout.clearPassword(restored.user);
    trail.changes = ['sessions', 'password', ...restored.changes];
    const { sentences } = restored;
    for (const email of new Set([restored.user.email, before.email])) {
      await notices.notify('accountRestored', { ...restored.user, email }, trail, { restored: sentences });
    }
    const view = views.toUserPublic(restored.user);
    if (chosen !== null) await events.emit('password_changed', { user: view });
    await events.emit('account_restored', { user: view, restored: restored.changes });
    return { message: await finish(restored, chosen !== null, caller), password_needed: false };
  }

  /** Mails a reset link where no password was chosen. Returns what to tell the person. */
  async function finish(
    { user, isEmailTaken }: Restored,
    isChosen: boolean,
    caller: Caller,
  ): Promise<string> {
    const done = isEmailTaken
      ? `Every session has ended, and what was added since was removed. The address could not be put back, because another account has it.${help}`
      : 'Every session has ended, and the account was put back as it was.';
    if (isChosen) return `${done} The new password is set.`;
    // A link to an address that somebody else put there would give the account away.
    if (isEmailTaken) return done;
    const { ip, requestId } = caller;
    const sent = await passwordLinks.send('reset', user, { ip, requestId });
    return sent === 'sent'
      ? `${done} A link to choose a new password was sent to its address.`
      : `${done} Ask for a link to choose a new password.`;
  }

  const reportNotMe = define(
    {
      name: 'reportNotMe',
      at: 'POST /not-me',
      summary:
        'Ends every session with the link "this was not me"; with the former password, puts the account back.',
      description:
        'The link is good for seven days: once without a password, and once with the password that was in force just before what the email reports.',
      access: 'anyone',
      input: reportNotMeInput(config),
      output: NotMeView,
      limit: 'not_me',
      errors: ['invalid_token', 'wrong_password', 'password_unchanged', 'account_locked'],
    },
    async ({ token, password, new_password }, { caller, trail }): Promise<NotMeView> => {
      const id = tokenHash(token);
      if (password != null) return restore(id, password, new_password ?? null, caller, trail);
      if (new_password != null) throw required('password', 'is required with a new password');
      return report(id, trail);
    },
  );

  return { reportNotMe };
}

const required = (path: string, message: string) =>
  new GatehouseError('invalid_input', { errors: [{ path, message }] });
