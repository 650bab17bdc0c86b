import { PendingEmailInput, UserIdInput } from '../contract/inputs/admin.ts';
import { reservedDomain } from '../contract/inputs/fields.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MessageView } from '../contract/views/message.ts';
import type { Caller } from '../domain/caller.ts';
import { concurrentChangeError } from '../domain/changed-meanwhile.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { viewerOf } from '../domain/own-data.ts';
import { fieldError, GatehouseError } from '../errors.ts';
import type { By } from '../events.ts';
import type { CappedMail, MailCap, MailOrigin } from '../limits/mail-cap.ts';
import { hasMailbox } from '../mail/outbox.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';
import type { GetUser } from './get-user.ts';

/**
 * Links that administrators email to the owner of an account. The caps per address apply as to everyone, so that no
 * administrator's script floods a mailbox. Unlike a stranger, an administrator learns when nothing was sent, and why.
 */
export function createAdminMails(
  { limits: { mailCap }, mails, views, define }: Dependencies,
  getUser: GetUser,
) {
  const { verification, passwordLinks } = mails;
  const access = { kind: 'superuser' } as const;

  const resendVerification = define(
    {
      name: 'adminResendVerification',
      at: 'POST /admin/users/{id}/resend-verification',
      status: 202,
      summary: 'Emails a new verification link to an account that is not verified.',
      description: 'The cap for one address applies.',
      access,
      input: UserIdInput,
      output: MessageView,
      errors: ['not_found', 'already_verified', 'account_disabled', 'rate_limited'],
    },
    async ({ id }, { caller, by, trail, t }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      if (user.isVerified) throw new GatehouseError('already_verified');
      assertReachable(user);
      const sent = await verification.sendTo(user, originOf(caller, by));
      if (sent === 'capped') throw await capError(mailCap, 'verification', user.email);
      if (sent === 'changed') throw concurrentChangeError();
      return { message: t('notice_verification_sent') };
    },
  );

  /** Only at the command line; the console uses the operation that is open to everyone. */
  const resendPending = define(
    {
      name: 'adminResendPending',
      summary: 'Emails a new verification link for a pending registration.',
      access,
      input: PendingEmailInput,
      output: MessageView,
      errors: ['not_found', 'rate_limited'],
    },
    async ({ email }, { caller, by, t }): Promise<MessageView> => {
      const row = await verification.findPending(email);
      if (!row) throw new GatehouseError('not_found');
      const sent = await verification.resend(row, originOf(caller, by));
      if (sent === 'capped') throw await capError(mailCap, 'verification', email);
      if (sent === 'changed') throw concurrentChangeError();
      return { message: t('notice_verification_sent') };
    },
  );

  /** Only at the command line: lifts the cap on the emails of a pending registration. */
  const unlockPending = define(
    {
      name: 'adminUnlockPending',
      summary: 'Lifts the cap on the emails of a pending registration.',
      access,
      input: PendingEmailInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ email }, { t }): Promise<MessageView> => {
      if (!(await verification.findPending(email))) throw new GatehouseError('not_found');
      await mailCap.clear(email);
      return { message: t('notice_address_unlocked') };
    },
  );

  const sendReset = define(
    {
      name: 'adminSendReset',
      at: 'POST /admin/users/{id}/send-reset',
      status: 202,
      summary: 'Emails the owner of an account a link to set a new password.',
      description: 'The password stays valid until the link is used. The cap for one address applies.',
      access,
      input: UserIdInput,
      output: MessageView,
      errors: ['not_found', 'account_disabled', 'account_reported', 'rate_limited'],
    },
    async ({ id }, { caller, by, trail, t }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      assertResettable(user);
      const sent = await passwordLinks.send('reset', user, originOf(caller, by));
      if (sent === 'capped') throw await capError(mailCap, 'reset', user.email);
      if (sent === 'changed') throw concurrentChangeError();
      return { message: t('notice_reset_sent') };
    },
  );

  /** Only in the server API and at the command line. */
  const inviteUser = define(
    {
      name: 'inviteUser',
      summary: 'Emails the owner of an account an invitation: a link to choose a password.',
      access,
      input: UserIdInput,
      output: views.UserPublic,
      errors: ['not_found', 'already_verified', 'account_disabled', 'account_reported', 'rate_limited'],
    },
    async ({ id }, { caller, by, trail }): Promise<UserPublic> => {
      const user = await getUser(id, trail);
      if (user.isVerified && user.hashedPassword !== null)
        throw new GatehouseError('already_verified', { detail: say('error_nothing_to_accept') });
      assertResettable(user);
      const sent = await passwordLinks.send('invitation', user, originOf(caller, by));
      if (sent === 'capped') throw await capError(mailCap, 'invitation', user.email);
      if (sent === 'changed') throw concurrentChangeError();
      return views.toUserPublic(user, viewerOf(by));
    },
  );

  return { resendVerification, resendPending, unlockPending, sendReset, inviteUser };
}

export const originOf = ({ ip, requestId }: Caller, by: By): MailOrigin => ({ by, ip, requestId });

/** Returns the error for an email that was not sent because its address has had as many as it may get. */
export async function capError(
  mailCap: MailCap,
  kind: CappedMail,
  email: string,
  id: 'error_mail_cap_unlock' | 'error_mail_cap_no_account' = 'error_mail_cap_unlock',
): Promise<GatehouseError> {
  const rateLimit = await mailCap.state(kind, email);
  const { limit, resetSeconds: retryAfterSeconds } = rateLimit;
  return new GatehouseError('rate_limited', {
    detail: say(id, { most: limit }),
    retryAfterSeconds,
    rateLimit,
  });
}

/** @throws {GatehouseError} account_reported, account_disabled, invalid_input: when a link to choose a password is not sent */
export function assertResettable(user: User): void {
  if (user.resetsHeldAt !== null) throw new GatehouseError('account_reported');
  assertReachable(user);
}

/** @throws {GatehouseError} account_disabled, invalid_input: when a link to the account would not work or not arrive */
function assertReachable({ isActive, email }: User): void {
  if (!isActive) {
    const detail = say('error_disabled_unsent');
    throw new GatehouseError('account_disabled', { detail });
  }
  if (hasMailbox(email)) return;
  throw new GatehouseError('invalid_input', {
    detail: say('error_no_mailbox'),
    errors: [fieldError('id', say('field_no_mailbox', { domain: reservedDomain }))],
  });
}
