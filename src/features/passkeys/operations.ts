import { z } from 'zod';
import type { FeatureParts } from '../../composition/open-feature.ts';
import { PendingStepInput } from '../../contract/inputs/second-step.ts';
import { AuthenticatorAddedView } from '../../contract/views/authenticators.ts';
import { SessionView } from '../../contract/views/sign-in.ts';
import { requireVerified } from '../../domain/reauthentication.ts';
import { GatehouseError } from '../../errors.ts';
import { factor } from './factor.ts';
import { ConfirmPasskeySetupInput, LoginWithPasskeyInput } from './inputs.ts';
import type { Passkeys } from './passkeys.ts';
import { PasskeyChallengeView } from './views.ts';

/** Setting up passkeys, and signing in with one, also after a password. */
export function createPasskeysService(parts: FeatureParts, passkeys: Passkeys) {
  const { hooks, define } = parts;
  const { signIn, secondStep } = parts.signing;
  const { authenticators, factors } = parts.strongSignIn;

  const startPasskeySetup = define(
    {
      name: 'startPasskeySetup',
      at: 'POST /passkeys/start',
      summary: 'Starts to set up a passkey.',
      description:
        'Returns the options for `navigator.credentials.create`. The set-up can be confirmed for five minutes.',
      access: { kind: 'session', isSensitive: true, isOpenBeforeEnrolment: true },
      input: z.strictObject({}),
      output: PasskeyChallengeView,
      errors: ['email_not_verified', 'authenticator_limit'],
    },
    async (_input, { session }): Promise<PasskeyChallengeView> => {
      requireVerified(session.user);
      await authenticators.assertRoom(session.user.id);
      return passkeys.startSetup(session);
    },
  );

  const confirmPasskeySetup = define(
    {
      name: 'confirmPasskeySetup',
      at: 'POST /passkeys/confirm',
      summary: 'Adds the passkey that the browser has created.',
      description:
        'It takes what `navigator.credentials.create` has returned. The first authenticator of an account also returns recovery codes.',
      access: { kind: 'session', isSensitive: true, isOpenBeforeEnrolment: true },
      input: ConfirmPasskeySetupInput,
      output: AuthenticatorAddedView,
      limit: 'passkey_confirm',
      errors: ['email_not_verified', 'not_found', 'passkey_invalid', 'authenticator_limit'],
    },
    async (
      { id, credential, name, end_other_sessions },
      { session, caller, trail, t },
    ): Promise<AuthenticatorAddedView> => {
      requireVerified(session.user);
      const { row, proved } = await passkeys.finishSetup(
        session,
        id,
        credential,
        name ?? t('console_passkey'),
      );
      const endsOthers = end_other_sessions === true;
      return authenticators.add(session, row, trail, { proved, caller, endsOthers });
    },
  );

  const startPasskeyLogin = define(
    {
      name: 'startPasskeyLogin',
      at: 'POST /login/passkey/start',
      summary: 'Starts a sign-in with a passkey.',
      description:
        'Returns the options for `navigator.credentials.get`. No address is named, so they tell nothing of any account.',
      access: { kind: 'anyone' },
      input: z.strictObject({}),
      output: PasskeyChallengeView,
      limit: 'login_passkey_start',
      errors: [],
    },
    (): Promise<PasskeyChallengeView> => passkeys.startLogin(),
  );

  const loginWithPasskey = define(
    {
      name: 'loginWithPasskey',
      at: 'POST /login/passkey',
      summary: 'Signs in with a passkey.',
      description:
        'It takes what `navigator.credentials.get` has returned, and returns a session: a passkey counts as both factors.',
      access: { kind: 'anyone', takesSession: signIn.takesSession },
      input: LoginWithPasskeyInput,
      output: SessionView,
      limit: 'login_passkey',
      errors: [
        ...(['not_found', 'passkey_invalid', 'account_disabled', 'email_not_verified'] as const),
        ...hooks.codesOf('beforeSignIn'),
      ],
    },
    async ({ id, credential }, { caller, trail, findSession }): Promise<SessionView> => {
      const { user, amr } = await passkeys.proveLogin(id, credential);
      trail.subject = user.id;
      signIn.assertAllowed(user);
      const superseded = await signIn.supersededBy(findSession);
      const session = await signIn.startSession(user, { amr, method: factor.kind, caller, ...superseded });
      // The account was revoked in this moment.
      if (!session) throw new GatehouseError('passkey_invalid');
      return session;
    },
  );

  const startMfaPasskey = define(
    {
      name: 'startMfaPasskey',
      at: 'POST /login/mfa-passkey/start',
      summary: 'Starts the second step with a passkey.',
      description:
        'It takes the token of the first step, and returns the options that the browser hands to the passkey.',
      access: { kind: 'anyone' },
      input: PendingStepInput,
      output: PasskeyChallengeView,
      limit: 'login_mfa_passkey_start',
      errors: ['invalid_token', 'not_found'],
    },
    async ({ mfa_pending_token }, { trail }): Promise<PasskeyChallengeView> => {
      const step = await secondStep.open(mfa_pending_token);
      trail.subject = step.user.id;
      const methods = await factors.methodsOf(step.user, step.claims.replaces !== undefined);
      if (!methods.includes(factor.kind)) throw new GatehouseError('not_found');
      return passkeys.startStep(step);
    },
  );

  return {
    ...{ startPasskeySetup, confirmPasskeySetup, startPasskeyLogin, loginWithPasskey },
    startMfaPasskey,
  };
}
