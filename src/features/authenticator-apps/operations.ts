import { renderSVG } from 'uqr';
import { z } from 'zod';
import { AuthenticatorAddedView } from '../../contract/views/authenticators.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import { requireVerified } from '../../domain/reauthentication.ts';
import { GatehouseError } from '../../errors.ts';
import type { Totp } from './apps.ts';
import { otpauthUrl } from './codes.ts';
import { ConfirmTotpSetupInput } from './inputs.ts';
import { TotpSetupView } from './views.ts';

/** Setting up an authenticator app. */
export function createTotpService(parts: Dependencies, totp: Totp) {
  const { config, repositories, define } = parts;
  const { lockout } = parts.limits;
  const { authenticators } = parts.strongSignIn;

  const startTotpSetup = define(
    {
      name: 'startTotpSetup',
      at: 'POST /totp/start',
      summary: 'Starts to set up an authenticator app.',
      description: 'The secret is shown only in this response. The set-up can be confirmed for ten minutes.',
      access: { kind: 'session', isSensitive: true, isOpenBeforeEnrolment: true },
      input: z.strictObject({}),
      output: TotpSetupView,
      errors: ['email_not_verified', 'authenticator_limit'],
    },
    async (_input, { session: { user } }): Promise<TotpSetupView> => {
      requireVerified(user);
      await authenticators.assertRoom(user.id);
      const { id, secret } = await totp.begin(user.id);
      const otpauth_url = otpauthUrl({ issuer: config.appName, account: user.email, secret });
      return { id, secret, otpauth_url, qr_svg: renderSVG(otpauth_url) };
    },
  );

  const confirmTotpSetup = define(
    {
      name: 'confirmTotpSetup',
      at: 'POST /totp/confirm',
      summary: 'Adds the authenticator app, with a code that it shows, and turns the second step on.',
      description:
        'The first authenticator of an account also returns recovery codes, which are shown only then.',
      access: { kind: 'session', isSensitive: true, isOpenBeforeEnrolment: true },
      input: ConfirmTotpSetupInput,
      output: AuthenticatorAddedView,
      limit: 'totp_confirm',
      errors: ['email_not_verified', 'not_found', 'mfa_code_wrong', 'account_locked', 'authenticator_limit'],
    },
    async (
      { id, code, name, end_other_sessions },
      { session, caller, trail, t },
    ): Promise<AuthenticatorAddedView> => {
      const { user } = session;
      requireVerified(user);
      const setup = await totp.findSetup(user.id, id);
      if (!setup) throw new GatehouseError('not_found');
      const guess = await lockout.open({ code: user.id });
      const step = totp.stepOf(setup, code);
      const release = await guess.decide(step !== null, caller.ip);
      if (step === null) throw new GatehouseError('mfa_code_wrong');
      await release();
      // Of parallel confirmations of one set-up, one adds the authenticator.
      if (!(await repositories.challenges.take(setup.id))) throw new GatehouseError('not_found');
      const row = totp.authenticatorOf(setup, name ?? t('console_authenticator_app'), step);
      const endsOthers = end_other_sessions === true;
      return authenticators.add(session, row, trail, { proved: 'otp', caller, endsOthers });
    },
  );

  return { startTotpSetup, confirmTotpSetup };
}
