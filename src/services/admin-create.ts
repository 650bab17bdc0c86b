import { newAccountInput } from '../contract/inputs/new-account.ts';
import type { Level } from '../contract/own-fields.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { changesOf, ownChangesOf } from '../domain/changes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { newUser } from '../domain/new-user.ts';
import { viewerOf, withoutNulls } from '../domain/own-data.ts';
import { assertPromotable } from '../domain/superusers.ts';
import { GatehouseError } from '../errors.ts';
import type { By } from '../events.ts';
import { within } from '../limits/within.ts';
import type { User } from '../tables/user.ts';
import { capError, originOf } from './admin-mails.ts';

/** For how long a request may be making an account, in milliseconds: longer than any is served. */
const makingMs = 10_000;

/**
 * Accounts that administration, an operator or the host makes. At the level of the host the input also has a password and
 * `is_superuser`, and no invitation is sent unless it says so (CONTRACT §2.2, §15.3).
 */
export function createAdminCreate(parts: Dependencies, level: Level) {
  const { config, clock, repositories, passwords, events, views, define } = parts;
  const { mailCap } = parts.limits;
  const { passwordLinks } = parts.mails;
  const { users, pending, challenges, rows } = repositories;
  const { toUserPublic } = views;
  const isInvitedUnlessSaid = level !== 'host';

  /**
   * Stores the account, noted as unfinished. Returns false when the address is taken. One that an earlier request has left
   * unfinished is removed, so that a repeated request makes it as a whole.
   * @throws {GatehouseError} unavailable, when another request may be making it at this moment
   */
  async function store(user: User, by: By): Promise<boolean> {
    for (let isFirst = true; ; isFirst = false) {
      await challenges.noteCreation(user.id, clock.now());
      if (await users.add(user)) return true;
      await challenges.take(user.id);
      if (!isFirst || !(await removeUnfinished(user, by))) return false;
    }
  }

  async function removeUnfinished({ email, isSuperuser }: User, by: By): Promise<boolean> {
    const former = await users.findByEmail(email);
    const note = former && (await challenges.find(former.id, 'account_creation'));
    const now = clock.now();
    if (!note || note.expiresAt <= now) return false;
    const ageMs = now.getTime() - note.createdAt.getTime();
    if (Math.abs(ageMs) < makingMs)
      throw new GatehouseError('unavailable', { retryAfterSeconds: Math.ceil((makingMs - ageMs) / 1000) });
    // An account that somebody has used or changed stays: for some uses something else is stored beside the note, and each
    // other use and each change sets one of these.
    const owned = await rows.listOwned([former.id]);
    if (owned.some(({ key }) => key !== note.id)) return false;
    const { hashedPassword, isVerified, createdAt } = former;
    const asMade = {
      ...{ hashedPassword, isVerified, isSuperuser, isActive: true },
      ...{ updatedAt: createdAt, lastLogin: null, tokensInvalidatedAfter: null },
    };
    if ((await users.remove(former.id, asMade)) !== true) return false;
    await rows.removeOwned(former.id, { isTakeOver: false });
    await events.emit('user_deleted', { user: toUserPublic(former), by });
    return true;
  }

  /**
   * The unique address decides against a registration at the same moment. The slot of the invitation is taken before, so
   * that there is no account whose owner was to be invited and cannot be. A stop after the account was stored leaves its
   * note, by which a repeated request knows that it was not finished.
   */
  const createUser = define(
    {
      name: 'adminCreateUser',
      at: 'POST /admin/users',
      status: 201,
      summary: 'Creates an account, and invites its owner to choose a password.',
      description:
        'The account has no password. Unless `invite` is false, its owner is emailed a link to choose one, within the cap of the address. A pending registration of the address is removed.',
      access: { kind: 'superuser', isAdministration: config.recentSignInForAdministration },
      input: newAccountInput(config, level),
      output: views.UserPublic,
      errors: [
        ...(['email_taken', 'rate_limited'] as const),
        ...(level === 'host' ? (['email_not_verified'] as const) : []),
      ],
    },
    async (
      {
        email,
        password,
        full_name: fullName = null,
        even_unverified,
        locale = null,
        fields,
        roles,
        ...flags
      },
      { caller, by, trail },
    ): Promise<UserPublic> => {
      const isVerified = flags.is_verified ?? false;
      const isSuperuser = flags.is_superuser ?? false;
      const isInvited = flags.invite ?? isInvitedUnlessSaid;
      if (isSuperuser) assertPromotable(isVerified, even_unverified);
      const chosen =
        password == null
          ? { hashedPassword: null }
          : await passwords.hash(password, { email, fullName, field: 'password' });
      const user = newUser(clock.now(), {
        ...{ email, fullName, ...chosen, isVerified, isSuperuser },
        locale,
        fields: withoutNulls(fields),
        roles: roles ? [...roles.given] : null,
      });
      const unlike = { ...user, isVerified: false, isSuperuser: false, fields: null, roles: null };
      trail.changes = [
        ...changesOf(unlike, { isVerified, isSuperuser }),
        ...ownChangesOf(unlike, { fields, roles }),
        ...(isInvited ? ['invited'] : []),
      ];
      const slot = isInvited ? await mailCap.take('invitation', email, originOf(caller, by)) : undefined;
      if (slot === null) throw await capError(mailCap, 'invitation', email, 'error_mail_cap_no_account');
      await within(slot, async () => {
        if (!(await store(user, by))) throw new GatehouseError('email_taken');
        trail.subject = user.id;
        // A stranger's registration of this address must not become valid later (pre-hijacking).
        await pending.remove(email);
        await events.emit('user_registered', { user: toUserPublic(user), by });
      });
      // Where the account was disabled or revoked in this moment, its invitation would be void.
      if (slot) await passwordLinks.post('invitation', user, slot);
      await challenges.take(user.id);
      return toUserPublic(user, viewerOf(by));
    },
  );

  return { createUser };
}
