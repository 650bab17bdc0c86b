import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { ChangePasswordInput, ForgotPasswordInput, ResetPasswordInput } from '../inputs/password.ts';
import { linkTo } from '../mail/links.ts';
import { isCutOff } from './authentication.ts';
import type { Dependencies } from './dependencies.ts';
import { sessionEnded } from './reauthentication.ts';
import { MessageView, toUserPublic } from './views.ts';

export type PasswordService = ReturnType<typeof createPassword>;
export type PasswordReset = ReturnType<typeof createPasswordReset>;

/** Changing the password one knows. */
export function createPassword({
  clock,
  repositories,
  hasher,
  reauthentication,
  lockout,
  notices,
  events,
  define,
}: Dependencies) {
  const changePassword = define(
    {
      name: 'changePassword',
      access: 'session',
      input: ChangePasswordInput,
      answers: MessageView,
      limit: 'change_password',
      errors: ['password_not_set', 'wrong_password', 'password_unchanged', 'account_locked'],
    },
    async ({ current_password, new_password }, { session: { user }, caller }): Promise<MessageView> => {
      await reauthentication.confirm(user, current_password, caller);
      if (new_password === current_password) throw new GatehouseError('password_unchanged');
      const now = clock.now();
      const hashedPassword = await hasher.hash(new_password);
      const { tokensInvalidatedAfter } = user;
      const change = { set: { hashedPassword, updatedAt: now }, cutOffAt: now };
      const only = { tokensInvalidatedAfter, hashedPassword: user.hashedPassword, isActive: true };
      if ((await repositories.users.change(user.id, change, only)) !== true) throw sessionEnded();
      await lockout.clearPassword(user);
      notices.tell('passwordChanged', user, {});
      const after = (await repositories.users.find(user.id)) ?? user;
      events.emit('password_changed', { user: toUserPublic(after) });
      return { message: 'The password was changed. Every session has ended; sign in again.' };
    },
  );

  return { changePassword };
}

/** Setting a new password by mail, also the first one of an account that has none. */
export function createPasswordReset(parts: Dependencies) {
  const { config, clock, repositories, hasher, tokens, issuing, lockout, mailCap } = parts;
  const { outbox, events, background, define } = parts;
  const { users, oauth_identities, mfa_codes, pending } = repositories;

  async function sendLink(user: User): Promise<void> {
    if (!(await mailCap.take('reset', user.email))) return;
    const ttlSeconds = config.passwordResetTokenTtlSeconds;
    const token = await issuing.issue('password_reset', user, { ttlSeconds });
    // Whoever revoked or disabled the account at this very moment did not want a reset either.
    if (token === null) return;
    const link = linkTo(config.urls.resetPassword, 'token', token);
    outbox.post('passwordReset', { to: user.email, url: link.url, ttlSeconds });
    events.emit('password_reset_requested', { user: toUserPublic(user), ...link });
  }

  const forgotPassword = define(
    {
      name: 'forgotPassword',
      access: 'anyone',
      input: ForgotPasswordInput,
      answers: MessageView,
      limit: 'forgot_password',
      errors: [],
    },
    async ({ email }, { caller, trail }): Promise<MessageView> => {
      const user = await users.findByEmail(email);
      trail.subject = user?.id ?? null;
      background.run('forgotPassword', caller.requestId, async () => {
        if (user?.isActive) await sendLink(user);
      });
      return { message: 'If this address has an account, a link to set a new password is on its way.' };
    },
  );

  /** The user that a reset token is for. @throws {GatehouseError} invalid_token */
  async function userOf(token: string): Promise<User> {
    const verdict = tokens.verify('password_reset', token);
    const user = 'claims' in verdict ? await users.find(verdict.claims.sub) : null;
    const isGood = 'claims' in verdict && user?.isActive && !isCutOff(verdict.claims, user);
    if (!isGood) throw new GatehouseError('invalid_token');
    return user;
  }

  const resetPassword = define(
    {
      name: 'resetPassword',
      access: 'anyone',
      input: ResetPasswordInput,
      answers: MessageView,
      limit: 'reset_password',
      errors: ['invalid_token'],
    },
    async ({ token, new_password }, { trail }): Promise<MessageView> => {
      const user = await userOf(token);
      trail.subject = user.id;
      const hashedPassword = await hasher.hash(new_password);
      // Until now anybody could have registered this address: what they left behind does not pass to its owner.
      const isFirstProof = !user.isVerified;
      const cleanUp = () => Promise.all([oauth_identities.removeAll(user.id), mfa_codes.removeAll(user.id)]);
      if (isFirstProof) await cleanUp();
      const now = clock.now();
      const changed = await users.change(
        user.id,
        {
          set: {
            hashedPassword,
            isVerified: true,
            updatedAt: now,
            ...(isFirstProof && { phoneNumber: null, isMfaEnabled: false }),
          },
          cutOffAt: now,
        },
        { tokensInvalidatedAfter: user.tokensInvalidatedAfter, email: user.email, isActive: true },
      );
      if (changed !== true) throw new GatehouseError('invalid_token');
      // Again, for what was linked in between; from now on no session is there that could.
      if (isFirstProof) await cleanUp();
      await lockout.clearPassword(user);
      await pending.remove(user.email);
      outbox.post('passwordResetDone', { to: user.email });
      const view = toUserPublic((await users.find(user.id)) ?? user);
      events.emit('password_reset_completed', { user: view });
      if (isFirstProof) events.emit('user_verified', { user: view });
      return { message: 'The password was set. Sign in with it.' };
    },
  );

  return { forgotPassword, resetPassword };
}
