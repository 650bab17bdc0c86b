import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import {
  ConfirmLoginMfaInput,
  ConfirmPhoneSetupInput,
  DisablePhoneInput,
  startPhoneSetupInput,
} from '../inputs/phone.ts';
import { isCutOff } from './authentication.ts';
import type { TextedCodes } from './codes.ts';
import type { Dependencies } from './dependencies.ts';
import { sessionEnded } from './reauthentication.ts';
import { MessageView, PhoneSetupView, SessionView, toUserPublic, UserPublic } from './views.ts';

export type Phone = ReturnType<typeof createPhone>;

const codeErrors = [
  'mfa_code_wrong',
  'mfa_code_expired',
  'mfa_code_missing',
  'LOCKED',
  'account_locked',
] as const;

/** The second factor: setting a phone up, the second step of login, and taking the phone off. */
export function createPhone(parts: Dependencies, texted: TextedCodes) {
  const { config, clock, repositories, tokens, issuing, reauthentication, lockout, smsCap } = parts;
  const { notices, events, define } = parts;
  const { users } = repositories;
  const ttlSeconds = config.mfaPendingTokenTtlSeconds;

  const startPhoneSetup = define(
    {
      name: 'startPhoneSetup',
      access: 'session',
      input: startPhoneSetupInput(config.sms.allowedPrefixes),
      answers: PhoneSetupView,
      limit: 'phone_start',
      errors: ['password_not_set', 'wrong_password', 'account_locked', 'rate_limited'],
    },
    async ({ phone_number, current_password }, { session: { user }, caller }): Promise<PhoneSetupView> => {
      await reauthentication.confirm(user, current_password, caller);
      await smsCap.takeSetup(user.id);
      const token = await issuing.issue('phone_setup', user, { ttlSeconds });
      if (token === null) throw sessionEnded();
      await texted.send(user.id, 'phone_setup', phone_number);
      events.emit('phone_setup_started', { user: toUserPublic(user), phone: phone_number });
      return { status: 'code_sent', pending_token: token, expires_in: ttlSeconds };
    },
  );

  const confirmPhoneSetup = define(
    {
      name: 'confirmPhoneSetup',
      access: 'session',
      input: ConfirmPhoneSetupInput,
      answers: UserPublic,
      limit: 'phone_confirm',
      errors: ['invalid_token', ...codeErrors],
    },
    async ({ pending_token, code }, { session: { user }, caller }): Promise<UserPublic> => {
      const verdict = tokens.verify('phone_setup', pending_token);
      const isTheirs =
        'claims' in verdict && verdict.claims.sub === user.id && !isCutOff(verdict.claims, user);
      if (!isTheirs) throw new GatehouseError('invalid_token');
      const { phoneNumber } = await texted.redeem(user, 'phone_setup', code, caller.ip);
      const set = { phoneNumber, isMfaEnabled: true, updatedAt: clock.now() };
      const only = { tokensInvalidatedAfter: user.tokensInvalidatedAfter, isActive: true };
      if ((await users.change(user.id, { set }, only)) !== true) throw sessionEnded();
      notices.tell('phoneSet', user, { phoneNumber });
      const view = toUserPublic({ ...user, ...set });
      events.emit('mfa_enabled', { user: view });
      return view;
    },
  );

  /** Takes phone and second factor off and tells the owner; false when the conditions no longer hold. */
  async function remove(user: User, only = {}): Promise<UserPublic | null> {
    const set = { phoneNumber: null, isMfaEnabled: false, updatedAt: clock.now() };
    if ((await users.change(user.id, { set }, only)) !== true) return null;
    await texted.removeAll(user.id);
    const view = toUserPublic({ ...user, ...set });
    if (user.phoneNumber !== null) {
      notices.tell('phoneRemoved', user, {});
      events.emit('mfa_disabled', { user: view });
    }
    return view;
  }

  const disablePhone = define(
    {
      name: 'disablePhone',
      access: 'session',
      input: DisablePhoneInput,
      answers: MessageView,
      limit: 'phone_disable',
      errors: ['password_not_set', 'wrong_password', 'account_locked'],
    },
    async ({ current_password }, { session: { user }, caller }): Promise<MessageView> => {
      await reauthentication.confirm(user, current_password, caller);
      const only = { tokensInvalidatedAfter: user.tokensInvalidatedAfter, isActive: true };
      if (!(await remove(user, only))) throw sessionEnded();
      return { message: 'The phone was removed; signing in needs no second step any more.' };
    },
  );

  const confirmLoginMfa = define(
    {
      name: 'confirmLoginMfa',
      access: 'anyone',
      input: ConfirmLoginMfaInput,
      answers: SessionView,
      limit: 'login_mfa_confirm',
      errors: ['invalid_token', ...codeErrors],
    },
    async ({ mfa_pending_token, code }, { caller, trail }): Promise<SessionView> => {
      const verdict = tokens.verify('login_mfa', mfa_pending_token);
      if ('refused' in verdict) throw new GatehouseError('invalid_token');
      const user = await users.find(verdict.claims.sub);
      if (!user?.isActive || isCutOff(verdict.claims, user)) throw new GatehouseError('invalid_token');
      trail.subject = user.id;
      const stored = await texted.redeem(user, 'login', code, caller.ip);
      // The phone was replaced since the code was sent.
      if (stored.phoneNumber !== user.phoneNumber) throw new GatehouseError('mfa_code_missing');
      const started = await issuing.startSession(user);
      if (!started) throw new GatehouseError('invalid_token');
      await lockout.clearUser(user);
      events.emit('user_logged_in', { user: toUserPublic(started.user), method: 'mfa' });
      return started.session;
    },
  );

  return { startPhoneSetup, confirmPhoneSetup, disablePhone, confirmLoginMfa, remove };
}
