import { v4 as uuidv4 } from 'uuid';
import { ConfirmPhoneSetupInput, disablePhoneInput, startPhoneSetupInput } from '../contract/inputs/phone.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MessageView } from '../contract/views/message.ts';
import { PhoneSetupView } from '../contract/views/sign-in.ts';
import { findUserOfSession, notRevokedSince } from '../domain/authentication.ts';
import type { Background } from '../domain/background.ts';
import type { TextedCodes } from '../domain/codes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { redeemToken } from '../domain/purpose-tokens.ts';
import { requireVerified, sessionEndedError } from '../domain/reauthentication.ts';
import type { User } from '../tables/user.ts';

/** The errors of a guess at a code. */
export const codeErrors = [
  'mfa_code_wrong',
  'mfa_code_expired',
  'mfa_code_missing',
  'LOCKED',
  'account_locked',
] as const;

/** The phone as a second factor: set-up and removal. */
export function createPhone(parts: Dependencies, texted: TextedCodes, background: Background) {
  const { config, clock, repositories, reauthentication, events, views, define } = parts;
  const { tokens, issuing, rules } = parts.sessions;
  const { lockout } = parts.limits;
  const { notices } = parts.mails;
  const { secondFactor, factors, authenticators } = parts.strongSignIn;
  const { users } = repositories;
  const { toUserPublic } = views;

  const startPhoneSetup = define(
    {
      name: 'startPhoneSetup',
      at: 'POST /phone/start',
      status: 202,
      summary: 'Sends a code to a phone that is to become the second factor.',
      description: 'Nothing changes until the code is confirmed. How many messages one phone gets is capped.',
      access: { kind: 'session', isSensitive: config.recentSignInForAccount, isOpenBeforeEnrolment: true },
      input: startPhoneSetupInput(config.sms.allowedPrefixes, reauthentication),
      output: PhoneSetupView,
      limit: 'phone_start',
      errors: [...reauthentication.errors, ...(['email_not_verified', 'rate_limited'] as const)],
    },
    async ({ phone_number, current_password }, { session, caller, trail }): Promise<PhoneSetupView> => {
      const { user } = session;
      requireVerified(user);
      await reauthentication.confirm(session, current_password, caller, trail);
      // While codes are locked, none is sent: it could not be confirmed.
      await lockout.open({ code: user.id });
      const jti = uuidv4();
      const token = await issuing.issue('phone_setup', user, { jti });
      if (token === null) throw sessionEndedError();
      await texted.send(
        { userId: user.id, kind: 'phone_setup', phoneNumber: phone_number },
        jti,
        user.locale,
      );
      await events.emit('phone_setup_started', { user: toUserPublic(user), phone: phone_number });
      return { status: 'code_sent', pending_token: token, expires_in: config.mfaPendingTokenTtlSeconds };
    },
  );

  const confirmPhoneSetup = define(
    {
      name: 'confirmPhoneSetup',
      at: 'POST /phone/confirm',
      summary: 'Sets the phone up with the code that was sent to it and turns the second step on.',
      description: 'A code allows a few attempts, and is void after them. The owner gets an email about it.',
      access: { kind: 'session', isSensitive: config.recentSignInForAccount, isOpenBeforeEnrolment: true },
      input: ConfirmPhoneSetupInput,
      output: views.UserPublic,
      limit: 'phone_confirm',
      errors: ['email_not_verified', 'invalid_token', ...reauthentication.stepErrors, ...codeErrors],
    },
    async ({ pending_token, code }, { session, caller, trail }): Promise<UserPublic> => {
      const { user, claims } = session;
      requireVerified(user);
      // The password was asked for at the start; an app that was added since makes a second step due here, too.
      await rules.assertPasswordIsEnough(session);
      const redeemed = await redeemToken(tokens, 'phone_setup', pending_token, id =>
        id === user.id ? user : null,
      );
      const guess = { code, jti: redeemed.claims.jti, ip: caller.ip };
      const { phoneNumber } = await texted.redeem(user.id, 'phone_setup', guess);
      const unconfirmed = factors.unconfirmedPhoneOf(user, await factors.list(user.id));
      const now = clock.now();
      const set = { phoneNumber, phoneConfirmedAt: now, isMfaEnabled: true, updatedAt: now };
      const undo = async () => {
        const { phoneNumber: former, phoneConfirmedAt } = user;
        const undone = { phoneNumber: former, phoneConfirmedAt, updatedAt: clock.now() };
        const asSet = { phoneNumber, phoneConfirmedAt: now, isMfaEnabled: true };
        await users.change(user.id, { set: undone }, asSet);
        await authenticators.switchOffIfNoneIsLeft(user.id, unconfirmed);
      };
      let present: User | null;
      try {
        const changed = await users.change(user.id, { set }, notRevokedSince(user));
        // Meanwhile the session may have been logged out, or an app been added.
        present = changed && (await findUserOfSession(repositories, claims, caller));
        if (!present) throw sessionEndedError();
        await rules.assertPasswordIsEnough({ user: present, claims }, false);
        await notices.notify('phoneSet', user, trail, { phoneNumber }, 'phone');
      } catch (error) {
        // It may be stored even where storing it has failed.
        await background.undo('takeBackPhone', caller.requestId, error, undo);
        throw error;
      }
      const view = toUserPublic(present);
      await events.emit('mfa_enabled', { user: view });
      return view;
    },
  );

  const disablePhone = define(
    {
      name: 'disablePhone',
      at: 'DELETE /phone',
      summary: 'Removes the phone and turns the second step off.',
      description: 'Authenticators of the account stay. The owner gets an email about it.',
      access: { kind: 'session', isSensitive: config.recentSignInForAccount },
      input: disablePhoneInput(reauthentication),
      output: MessageView,
      limit: 'phone_disable',
      errors: [
        ...reauthentication.errors,
        ...(config.mfaRequired === 'off' ? [] : (['last_factor'] as const)),
      ],
    },
    async ({ current_password }, { session, caller, trail, t }): Promise<MessageView> => {
      const { user } = session;
      await reauthentication.confirm(session, current_password, caller, trail);
      const after = await secondFactor.removePhone(user, trail, notRevokedSince(user));
      if (!after) throw sessionEndedError();
      return { message: t('notice_phone_removed', { after: after.isMfaEnabled ? 'other_step' : 'no_step' }) };
    },
  );

  return { startPhoneSetup, confirmPhoneSetup, disablePhone };
}
