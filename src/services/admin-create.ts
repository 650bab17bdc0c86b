import { newAccountInput } from '../contract/inputs/new-account.ts';
import type { Level } from '../contract/own-fields.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { changesOf, ownChangesOf } from '../domain/changes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { newUser } from '../domain/new-user.ts';
import { viewerOf, withoutNulls } from '../domain/own-data.ts';
import { assertPromotable } from '../domain/superusers.ts';
import { GatehouseError } from '../errors.ts';
import { capError, originOf } from './admin-mails.ts';

/**
 * Accounts that administration, an operator or the host makes. At the level of the host the input also has a password and
 * `is_superuser`, and nobody is invited unless it says so (CONTRACT §2.2, §15.3).
 */
export function createAdminCreate(parts: Dependencies, level: Level) {
  const { config, clock, repositories, passwords, events, views, define } = parts;
  const { mailCap } = parts.limits;
  const { passwordLinks } = parts.mails;
  const { users, pending } = repositories;
  const { toUserPublic } = views;
  const isInvitedUnlessSaid = level !== 'host';

  /**
   * The unique address decides against a registration at the same moment. The slot of the invitation is taken before, so
   * that there is no account whose owner was to be invited and cannot be. A stop after the account was stored leaves it
   * without its invitation, which `inviteUser` sends.
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
      if (slot === null) throw await capError(mailCap, 'invitation', email, 'No account was created.');
      if (!(await users.add(user))) {
        await slot?.release();
        throw new GatehouseError('email_taken');
      }
      trail.subject = user.id;
      // A stranger's registration of this address must not become valid later (pre-hijacking).
      await pending.remove(email);
      await events.emit('user_registered', { user: toUserPublic(user), by });
      // Where the account was disabled or revoked in this moment, its invitation would be void.
      if (slot) await passwordLinks.post('invitation', user, slot);
      return toUserPublic(user, viewerOf(by));
    },
  );

  return { createUser };
}
