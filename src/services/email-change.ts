import { changeEmailInput, confirmEmailChangeInput } from '../contract/inputs/email-change.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MessageView } from '../contract/views/message.ts';
import { notRevokedSince } from '../domain/authentication.ts';
import type { Caller } from '../domain/caller.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { redeemToken } from '../domain/purpose-tokens.ts';
import { sessionEndedError } from '../domain/reauthentication.ts';
import { GatehouseError } from '../errors.ts';
import { within } from '../limits/within.ts';
import { mailLink } from '../mail/links.ts';
import { addressed } from '../mail/outbox.ts';
import type { Trail } from '../observability/watch.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';

/** Change of an account's address: requested with the password, confirmed from the new mailbox. */
export function createEmailChange(parts: Dependencies) {
  const { config, clock, repositories, reauthentication, events, hooks, views, define, lifeCycle } = parts;
  const { tokens, issuing } = parts.sessions;
  const { lockout, mailCap } = parts.limits;
  const { outbox, notices } = parts.mails;
  const { toUserPublic } = views;
  const { users, pending } = repositories;

  const isSafe = config.enumerationSafeRegistration;
  const needsAccount = config.emailChangeNeedsAccount;

  /**
   * Asks for the password of an account whose session is not there: else an intruder's account, in which a passkey waits,
   * would get the address of the person who opens the link.
   * @throws {GatehouseError} password_required, wrong_password, account_locked
   */
  async function confirmPassword(
    user: User,
    password: string | null | undefined,
    caller: Caller,
    trail: Trail,
  ): Promise<void> {
    if (password == null || user.hashedPassword === null)
      throw new GatehouseError('password_required', { detail: say('error_account_password_required') });
    await reauthentication.verify({ user }, password, caller, trail);
  }

  const changeEmail = define(
    {
      name: 'changeEmail',
      at: 'POST /change-email',
      status: 202,
      summary: 'Emails a link to the new address; the address changes when the link is used.',
      description: 'The account keeps its present address until then. The owner is told at that address.',
      access: { kind: 'session', isSensitive: config.recentSignInForAccount },
      input: changeEmailInput(reauthentication),
      output: MessageView,
      limit: 'change_email',
      errors: [
        ...reauthentication.errors,
        'email_unchanged',
        ...(isSafe ? [] : (['email_taken'] as const)),
        ...hooks.codesOf('beforeEmailChange'),
      ],
    },
    async ({ current_password, new_email }, { session, caller, trail, t }): Promise<MessageView> => {
      const { user } = session;
      await reauthentication.confirm(session, current_password, caller, trail);
      if (new_email === user.email) throw new GatehouseError('email_unchanged');
      await hooks.beforeEmailChange(user, new_email);
      const owner = await users.findByEmail(new_email);
      const isTaken = owner !== null;
      if (isTaken && !isSafe) throw new GatehouseError('email_taken');
      const { ip, requestId } = caller;
      const slot = await mailCap.take('email_change', new_email, { ip, requestId, subject: user.id });
      if (slot) {
        const ttlSeconds = config.emailChangeTokenTtlSeconds;
        const token = await within(slot, () => issuing.issue('email_change', user, { new_email }));
        if (token === null) {
          await slot.release();
          throw sessionEndedError();
        }
        const link = mailLink(config, 'confirmEmailChange', token, user.locale);
        // All else is the same for an address that is taken: the caller must not learn that (account enumeration).
        const to = addressed(new_email, (owner ?? user).locale);
        if (isTaken) await outbox.post('addressTaken', { ...to, wanted: 'email_change' }, slot);
        else await outbox.post('emailChange', { ...to, url: link.url, ttlSeconds }, slot);
        await notices.notify('emailChangeRequested', user, trail, { newEmail: new_email });
        await events.emit('email_change_requested', { user: toUserPublic(user), new_email, ...link });
      }
      return { message: t('notice_email_change') };
    },
  );

  const confirmEmailChange = define(
    {
      name: 'confirmEmailChange',
      at: 'POST /confirm-email-change',
      summary: 'Moves the account to the address that the link was sent to and ends every session.',
      description:
        'The former address gets an email about it. Where the configuration asks for it, the session or the password of the account must come with the token.',
      access: { kind: 'anyone', takesSession: needsAccount },
      input: confirmEmailChangeInput(needsAccount),
      output: views.UserPublic,
      limit: 'confirm_email_change',
      errors: [
        'invalid_token',
        ...(isSafe ? [] : (['email_taken'] as const)),
        ...(needsAccount ? (['password_required', 'wrong_password', 'account_locked'] as const) : []),
      ],
    },
    async ({ token, password }, { caller, trail, findSession }): Promise<UserPublic> => {
      const { user, claims } = await redeemToken(tokens, 'email_change', token, users.find);
      const { new_email: email = '' } = claims;
      trail.subject = user.id;
      if (needsAccount && (await findSession())?.user.id !== user.id)
        await confirmPassword(user, password, caller, trail);
      const now = clock.now();
      const change = { set: { isVerified: true, updatedAt: now }, cutOffAt: now };
      const beside = await pending.find(user.email);
      const changed = await users.changeEmail(user.id, email, change, notRevokedSince(user));
      if (changed === 'email_taken') throw new GatehouseError(isSafe ? 'invalid_token' : 'email_taken');
      if (!changed) throw new GatehouseError('invalid_token');
      await lockout.clearLogin(user.email);
      // Registrations of the new address, and what was pending beside the account, are void now.
      await Promise.all([pending.remove(email), pending.removeBeside(user, beside)]);
      const apiKeys = await lifeCycle.keysFate(changed);
      await notices.notify('emailChanged', user, trail, { newEmail: email, apiKeys }, 'email');
      const view = toUserPublic(changed);
      await events.emit('email_changed', { user: view, previous_email: user.email, by: 'self' });
      return view;
    },
  );

  return { changeEmail, confirmEmailChange };
}
