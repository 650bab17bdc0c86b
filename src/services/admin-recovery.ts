import { adminChangeEmailInput, UserIdInput } from '../contract/inputs/admin.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MessageView } from '../contract/views/message.ts';
import { stopHash } from '../crypto/stopped-password.ts';
import { concurrentChangeError } from '../domain/changed-meanwhile.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Context } from '../domain/operation.ts';
import { viewerOf } from '../domain/own-data.ts';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import { within } from '../limits/within.ts';
import type { User } from '../tables/user.ts';
import { assertResettable, capError, originOf } from './admin-mails.ts';
import type { GetUser } from './get-user.ts';

/** Gives an account back to an owner who lost it: by another address, and by a password that must be chosen anew. */
export function createAdminRecovery(parts: Dependencies, getUser: GetUser) {
  const { config, clock, repositories, events, views, define, lifeCycle } = parts;
  const { lockout, mailCap } = parts.limits;
  const { verification, passwordLinks, notices } = parts.mails;
  const { users, pending } = repositories;
  const access = { kind: 'superuser' } as const;

  /** Returns the stored password of an account that must choose another one. @throws {GatehouseError} password_not_set */
  function stopped({ hashedPassword }: User, isFirstProof: boolean): string {
    if (hashedPassword === null) throw new GatehouseError('password_not_set');
    return stopHash(hashedPassword, isFirstProof);
  }

  const changeEmail = define(
    {
      name: 'adminChangeEmail',
      at: 'POST /admin/users/{id}/change-email',
      summary: 'Moves an account to another address at once and ends every session.',
      description:
        'Both addresses are told. Unless the administrator vouches for the address, a verification link goes there. The address that the account has is taken, too.',
      access: { ...access, isAdministration: config.recentSignInForAdministration, isSensitiveForSelf: true },
      input: adminChangeEmailInput(config),
      output: views.UserPublic,
      errors: ['not_found', 'email_taken', 'password_not_set'],
    },
    async ({ id, email, is_verified, require_new_password }, { caller, by, trail }): Promise<UserPublic> => {
      const user = await getUser(id, trail);
      const isVerified = is_verified === true;
      const now = clock.now();
      const set = {
        // The administrator has decided whose address it is.
        ...{ isVerified, updatedAt: now, resetsHeldAt: null },
        ...(require_new_password && { hashedPassword: stopped(user, true) }),
      };
      trail.changes = ['email', 'sessions', ...(require_new_password ? ['password'] : [])];
      const { tokensInvalidatedAfter } = user;
      const only = { email: user.email, tokensInvalidatedAfter };
      const beside = await pending.find(user.email);
      const changed = await users.changeEmail(user.id, email, { set, cutOffAt: now }, only);
      if (changed === 'email_taken') throw new GatehouseError('email_taken');
      if (!changed) throw concurrentChangeError();
      await lockout.clearLogin(user.email);
      // Registrations of the new address, and what was pending beside the account, are void now.
      await Promise.all([pending.remove(email), pending.removeBeside(user, beside)]);
      const apiKeys = await lifeCycle.keysFate(changed);
      for (const to of new Set([user.email, email]))
        await notices.notify('emailChanged', { ...user, email: to }, trail, { newEmail: email, apiKeys });
      await events.emit('email_changed', {
        ...{ user: views.toUserPublic(changed), previous_email: user.email, by },
      });
      // The cap may hold a link back; it can be sent again. A reset verifies the address, too.
      const origin = originOf(caller, by);
      if (!changed.isActive) return views.toUserPublic(changed, viewerOf(by));
      if (require_new_password) await passwordLinks.send('reset', changed, origin);
      else if (!isVerified) await verification.sendTo(changed, origin);
      return views.toUserPublic(changed, viewerOf(by));
    },
  );

  const requirement = {
    name: 'adminRequireNewPassword',
    summary: 'Stops the password of an account, ends every session, and emails a link to choose another one.',
    description: 'The password is refused from then on. The owner chooses another one with the link.',
    access: { ...access, isAdministration: config.recentSignInForAdministration, isSensitiveForSelf: true },
    input: UserIdInput,
    errors: [
      'not_found',
      'password_not_set',
      'account_disabled',
      'account_reported',
      'rate_limited',
    ] satisfies ErrorCode[],
  };

  /** Stops the password and emails a link. Returns the account as it is then. */
  async function stopPassword(
    id: string,
    { caller, by, trail }: Pick<Context<'superuser'>, 'caller' | 'by' | 'trail'>,
  ): Promise<User> {
    const user = await getUser(id, trail);
    const hashedPassword = stopped(user, false);
    assertResettable(user);
    const slot = await mailCap.take('reset', user.email, { subject: id, ...originOf(caller, by) });
    if (!slot) throw await capError(mailCap, 'reset', user.email);
    const now = clock.now();
    const change = { set: { hashedPassword, updatedAt: now }, cutOffAt: now };
    const unchanged = { hashedPassword: user.hashedPassword, email: user.email };
    const changed = await within(slot, () => users.change(id, change, unchanged));
    if (!changed) {
      await slot.release();
      throw concurrentChangeError();
    }
    trail.changes = ['password', 'sessions'];
    await within(slot, () => events.emit('user_updated', { user: views.toUserPublic(changed), by }));
    await passwordLinks.post('reset', changed, slot);
    return changed;
  }

  const requireNewPassword = define(
    {
      ...requirement,
      at: 'POST /admin/users/{id}/require-new-password',
      status: 202,
      output: MessageView,
    },
    async ({ id }, context): Promise<MessageView> => {
      await stopPassword(id, context);
      return { message: context.t('notice_new_password_required') };
    },
  );

  /** As `requireNewPassword`, for the server API, which returns the account. */
  const replacePassword = define(
    { ...requirement, output: views.UserPublic },
    async ({ id }, context): Promise<UserPublic> =>
      views.toUserPublic(await stopPassword(id, context), viewerOf(context.by)),
  );

  return { changeEmail, requireNewPassword, replacePassword };
}
