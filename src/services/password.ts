import type { Config } from '../config/schema.ts';
import { changePasswordInput, ForgotPasswordInput, resetPasswordInput } from '../contract/inputs/password.ts';
import { MessageView } from '../contract/views/message.ts';
import { notRevokedSince } from '../domain/authentication.ts';
import type { Deferred, LinkRequest } from '../domain/deferred.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { setMailedPassword } from '../domain/mailed-password.ts';
import { redeemToken } from '../domain/purpose-tokens.ts';
import { sessionEndedError } from '../domain/reauthentication.ts';
import { GatehouseError } from '../errors.ts';
import { everyFeature } from '../feature-parts.ts';
import { formsOfPassword } from '../password-text.ts';
import type { User } from '../tables/user.ts';

/** Returns the fields that features have in the inputs with which a password is chosen; they read them by themselves. */
const newPasswordFieldsOf = (config: Config): Record<never, never> =>
  Object.assign(
    {},
    ...everyFeature.filter(feature => feature.isOn(config)).map(feature => feature.newPasswordFields),
  );

/** Change of the password by a user who knows the current one. */
export function createPassword({
  config,
  clock,
  repositories: { users },
  passwords,
  reauthentication,
  limits: { lockout },
  lifeCycle,
  mails: { notices },
  events,
  views,
  define,
}: Dependencies) {
  const changePassword = define(
    {
      name: 'changePassword',
      at: 'POST /change-password',
      summary: 'Sets another password and ends every session, this one included.',
      description:
        'An account without a password uses the reset by email first. The owner gets an email that the password was changed.',
      access: { kind: 'session', isSensitive: config.recentSignInForAccount, isOpenBeforeEnrolment: true },
      input: changePasswordInput({ ...reauthentication, ...config }, newPasswordFieldsOf(config)),
      output: MessageView,
      limit: 'change_password',
      errors: [...reauthentication.errors, 'password_unchanged'],
    },
    async (
      { current_password, new_password, ...given },
      { session, caller, trail, t },
    ): Promise<MessageView> => {
      const { user } = session;
      await reauthentication.confirm(session, current_password, caller, trail);
      const former = current_password == null ? [] : formsOfPassword(current_password);
      if (formsOfPassword(new_password).some(form => former.includes(form)))
        throw new GatehouseError('password_unchanged');
      const now = clock.now();
      const chosen = await passwords.hash(new_password, { ...user, field: 'new_password' });
      const change = { set: { ...chosen, updatedAt: now }, cutOffAt: now };
      const replace = ({ hashedPassword: former }: User) =>
        users.change(user.id, change, { ...notRevokedSince(user), hashedPassword: former });
      let changed = await replace(user);
      if (!changed) {
        // One's own first sign-in may have stored the same password as another hash since (CONTRACT §4.2).
        const present = await users.find(user.id);
        const isSame = present?.tokensInvalidatedAfter?.getTime() === user.tokensInvalidatedAfter?.getTime();
        if (!present || !isSame || present.hashedPassword === user.hashedPassword) throw sessionEndedError();
        await reauthentication.confirm({ ...session, user: present }, current_password, caller, trail);
        changed = await replace(present);
      }
      if (!changed) throw sessionEndedError();
      await lockout.clearPassword(user);
      const apiKeys = await lifeCycle.passwordChanged(changed, given, trail);
      await notices.notify('passwordChanged', user, trail, { apiKeys });
      await events.emit('password_changed', { user: views.toUserPublic(changed) });
      return { message: t('notice_password_changed') };
    },
  );

  return { changePassword };
}

/** Whom a request for a link concerns. */
interface ResetKnown {
  user: User | null;
}

/** Setting a new password by email, including the first one of an account without a password. */
export function createPasswordReset(parts: Dependencies, deferred: Deferred) {
  const { config, repositories, events, define } = parts;
  const { tokens } = parts.sessions;
  const { passwordLinks, notices } = parts.mails;
  const { users } = repositories;

  const sendLink = deferred.define<LinkRequest, ResetKnown>(
    'forgotPassword',
    'password-reset',
    async ({ email, ip, requestId }, { known, task }) => {
      const { user } = known ?? { user: await users.findByEmail(email) };
      if (user?.isActive) await passwordLinks.send('reset', user, { ip, requestId }, task);
    },
  );

  const forgotPassword = define(
    {
      name: 'forgotPassword',
      at: 'POST /forgot-password',
      status: 202,
      summary: 'Emails a link to set a new password; the response is the same for every address.',
      description:
        'The link is good once and until it expires. How often one address is written to is capped.',
      access: { kind: 'anyone' },
      input: ForgotPasswordInput,
      output: MessageView,
      limit: 'forgot_password',
      errors: [],
    },
    async ({ email }, { caller, trail, t }): Promise<MessageView> => {
      const user = await users.findByEmail(email);
      trail.subject = user?.id ?? null;
      const { ip, requestId } = caller;
      await sendLink({ email, ip, requestId }, { user }, requestId);
      return { message: t('notice_reset_perhaps_sent') };
    },
  );

  const resetPassword = define(
    {
      name: 'resetPassword',
      at: 'POST /reset-password',
      summary: 'Sets the password with the token of a reset email and ends every session.',
      description: 'It also verifies the address, because the token was sent there. The token is good once.',
      access: { kind: 'anyone' },
      input: resetPasswordInput(config, newPasswordFieldsOf(config)),
      output: MessageView,
      limit: 'reset_password',
      errors: ['invalid_token'],
    },
    async ({ token, new_password, ...given }, { trail, t }): Promise<MessageView> => {
      const { user } = await redeemToken(tokens, 'password_reset', token, users.find);
      trail.subject = user.id;
      const set = await setMailedPassword(parts, user, new_password, 'new_password', { given, trail });
      if (!set) throw new GatehouseError('invalid_token');
      const { changed, apiKeys } = set;
      await notices.notify('passwordResetDone', changed, trail, { apiKeys });
      const view = parts.views.toUserPublic(changed);
      await events.emit('password_reset_completed', { user: view });
      if (!user.isVerified) await events.emit('user_verified', { user: view });
      return { message: t('notice_password_set') };
    },
  );

  return { forgotPassword, resetPassword };
}
