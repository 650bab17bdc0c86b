import {
  confirmLoginMfaInput,
  SendMfaCodeInput,
  StartMfaPasskeyInput,
} from '../contract/inputs/second-step.ts';
import { PasskeyChallengeView } from '../contract/views/authenticators.ts';
import { MessageView } from '../contract/views/message.ts';
import { type MfaMethod, SessionView } from '../contract/views/sign-in.ts';
import type { AuthenticationMethod } from '../crypto/claims.ts';
import type { TextedCodes } from '../domain/codes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Passkeys } from '../domain/passkeys.ts';
import type { PendingStep, SecondStep } from '../domain/second-step.ts';
import type { SignIn } from '../domain/sign-in.ts';
import type { Totp } from '../domain/totp.ts';
import { GatehouseError } from '../errors.ts';
import type { Trail } from '../observability/watch.ts';
import { codeErrors } from './phone.ts';

/** What a client sends to prove a method. */
export interface StepProof {
  code: string | null;
  /** The challenge of a passkey and its answer. */
  id: string | null;
  credential: Record<string, unknown> | null;
  ip: string | null;
}

/**
 * Checks the proof of one method and returns what it adds to `amr`.
 * @param remaining how many guesses the pending token allows after this one
 */
export type Prove = (
  step: PendingStep,
  proof: StepProof,
  remaining: number,
  trail: Trail,
) => Promise<AuthenticationMethod[]>;

interface Methods {
  secondStep: SecondStep;
  signIn: SignIn;
  texted: TextedCodes | undefined;
  totp: Totp | undefined;
  passkeys: Passkeys | undefined;
}

/** The second step of a sign-in, for every method that is switched on. */
export function createSecondStepService(
  parts: Dependencies,
  { secondStep, signIn, texted, totp, passkeys }: Methods,
) {
  const { config, events, hooks, views, define } = parts;
  const { lockout, stepFailures } = parts.limits;
  const { factors, recoveryCodes } = parts.strongSignIn;
  const { notices } = parts.mails;
  const hasAuthenticators = config.enableTotp || config.enablePasskeys;

  const proveText: Prove = async ({ user, claims }, { code, ip }, remaining) => {
    try {
      const stored = await texted!.redeem(user.id, 'login', { code: code ?? '', jti: claims.jti, ip });
      // The phone was replaced since the code was sent.
      if (stored.phoneNumber !== user.phoneNumber) throw new GatehouseError('mfa_code_missing');
      return ['sms'];
    } catch (error) {
      const isWrong = error instanceof GatehouseError && error.code === 'mfa_code_wrong';
      if (!isWrong || remaining >= (error.attemptsRemaining ?? 0)) throw error;
      // Guesses by other methods count, too.
      throw remaining > 0
        ? new GatehouseError('mfa_code_wrong', { attemptsRemaining: remaining })
        : new GatehouseError('LOCKED');
    }
  };

  /**
   * Counts a guess for its user, right or wrong, and then uses up what was proved; in this order, so that a guess that the
   * lockout refuses uses nothing up, and that of many uses of one code at the same moment the one that succeeds is not
   * refused for the others.
   * @param check returns null for a wrong guess, else the function that uses it up, which returns null or false when
   * another request did so meanwhile
   * @throws {GatehouseError} account_locked, mfa_code_wrong, LOCKED
   */
  async function decide<T>(
    { user }: PendingStep,
    ip: string | null,
    remaining: number,
    check: () => Promise<(() => Promise<T | null | false>) | null>,
  ): Promise<T> {
    const guess = await lockout.open({ code: user.id });
    const use = await check();
    const release = await guess.decide(use !== null, ip);
    if (use) {
      const used = await use().finally(release);
      if (used !== null && used !== false) return used;
    }
    if (remaining === 0) throw new GatehouseError('LOCKED');
    throw new GatehouseError('mfa_code_wrong', { attemptsRemaining: remaining });
  }

  const proveTotp: Prove = async (step, { code, ip }, remaining) => {
    const { totp: rows } = await factors.of(step.user);
    await decide(step, ip, remaining, () => totp!.match(rows, code ?? ''));
    return ['otp'];
  };

  const proveRecoveryCode: Prove = async (step, { code, ip }, remaining, trail) => {
    const { user } = step;
    const { left } = await decide(step, ip, remaining, () => recoveryCodes.match(user.id, code ?? ''));
    await notices.notify('recoveryCodeUsed', user, trail, { left });
    await events.emit('recovery_code_used', { user: views.toUserPublic(user), left });
    return [];
  };

  const provePasskey: Prove = async (step, { id, credential, ip }, remaining) => {
    if (id === null || credential === null) throw new GatehouseError('passkey_invalid');
    return decide(step, ip, remaining, async () => {
      const amr = await passkeys!.proveStep(step, id, credential);
      return async () => amr;
    }).catch(async error => {
      if (!(error instanceof GatehouseError) || error.code !== 'passkey_invalid') throw error;
      // A wrong passkey counts as a wrong code does.
      await decide(step, ip, remaining, async () => null).catch(counted => {
        if (counted.code !== 'mfa_code_wrong') throw counted;
      });
      throw error;
    });
  };

  const proofs: Partial<Record<MfaMethod, Prove>> = {
    ...(texted && { sms: proveText }),
    ...(totp && { totp: proveTotp }),
    ...(passkeys && { passkey: provePasskey }),
    recovery_code: proveRecoveryCode,
  };

  /**
   * Counts the outcome of a guess for its user, since the last right one (CONTRACT §9.4). Once too many were wrong, every
   * code is.
   * @throws {GatehouseError} what the proof throws; mfa_code_wrong
   */
  async function counted(
    { user }: PendingStep,
    { isPasskey, remaining }: { isPasskey: boolean; remaining: number },
    trail: Trail,
    check: () => Promise<AuthenticationMethod[]>,
  ): Promise<AuthenticationMethod[]> {
    const guess = await stepFailures.open(user);
    const attemptsRemaining = Math.min(remaining, config.smsCodeMaxAttempts - 1);
    const wrong = () => new GatehouseError('mfa_code_wrong', { attemptsRemaining });
    try {
      if (guess.isBlocked && !isPasskey) throw wrong();
      const amr = await check();
      if (isPasskey) await guess.acceptPasskey();
      else if (!(await guess.accept())) throw wrong();
      return amr;
    } catch (error) {
      if (error instanceof GatehouseError && wrongGuesses.includes(error.code)) await guess.fail(trail);
      throw error;
    }
  }

  const confirmLoginMfa = define(
    {
      name: 'confirmLoginMfa',
      at: 'POST /login/mfa-confirm',
      summary: 'Completes the second step of a sign-in.',
      description:
        'Takes the token of the first step with one of: a texted code, the code of an authenticator app, a recovery code, or the response of a passkey. Returns a session.',
      access: { kind: 'anyone' },
      input: confirmLoginMfaInput({ totp: totp !== undefined, passkeys: passkeys !== undefined }),
      output: SessionView,
      limit: 'login_mfa_confirm',
      errors: [
        ...(['invalid_token', ...codeErrors] as const),
        ...(passkeys ? (['not_found', 'passkey_invalid'] as const) : []),
        ...hooks.codesOf('beforeSignIn'),
      ],
    },
    async (
      { mfa_pending_token, method, code = null, id = null, credential = null },
      { caller, trail },
    ): Promise<SessionView> => {
      const step = await secondStep.open(mfa_pending_token);
      const { user, claims } = step;
      trail.subject = user.id;
      const methods = await factors.methodsOf(user, claims.replaces !== undefined);
      const chosen = method ?? (credential ? 'passkey' : methodOf(code, methods));
      const prove = chosen && methods.includes(chosen) ? proofs[chosen] : undefined;
      if (!prove) throw new GatehouseError('mfa_code_missing');
      // While text messages are the only method, the code itself counts the guesses.
      const remaining = hasAuthenticators ? await secondStep.claimGuess(step) : Number.POSITIVE_INFINITY;
      const amr = await counted(step, { isPasskey: chosen === 'passkey', remaining }, trail, () =>
        prove(step, { code, id, credential, ip: caller.ip }, remaining, trail),
      );
      const proof = {
        amr: [...(claims.amr ?? ['pwd']), ...amr, 'mfa' as const],
        method: 'mfa' as const,
        caller,
      };
      const { replaces, supersedes } = claims;
      const proceed = await signIn.allow(user, { ...proof, replaces, supersedes });
      // Before the session, so that of several proofs of one pending token one makes a session.
      const entered = (await secondStep.useUp(step)) ? await proceed() : null;
      if (!entered) throw new GatehouseError('invalid_token');
      return entered.answer as SessionView;
    },
  );

  const startMfaPasskey =
    passkeys &&
    define(
      {
        name: 'startMfaPasskey',
        at: 'POST /login/mfa-passkey/start',
        summary: 'Starts the second step with a passkey.',
        description:
          'It takes the token of the first step, and returns the options that the browser hands to the passkey.',
        access: { kind: 'anyone' },
        input: StartMfaPasskeyInput,
        output: PasskeyChallengeView,
        limit: 'login_mfa_passkey_start',
        errors: ['invalid_token', 'not_found'],
      },
      async ({ mfa_pending_token }, { trail }): Promise<PasskeyChallengeView> => {
        const step = await secondStep.open(mfa_pending_token);
        trail.subject = step.user.id;
        const methods = await factors.methodsOf(step.user, step.claims.replaces !== undefined);
        if (!methods.includes('passkey')) throw new GatehouseError('not_found');
        return passkeys.startStep(step);
      },
    );

  const sendMfaCode =
    texted &&
    define(
      {
        name: 'sendMfaCode',
        at: 'POST /login/mfa-send',
        status: 202,
        summary: 'Sends a code for the second step by text message; it replaces one that was sent before.',
        description: 'It takes the token of the first step. How many messages one phone gets is capped.',
        access: { kind: 'anyone' },
        input: SendMfaCodeInput,
        output: MessageView,
        limit: 'login_mfa_send',
        errors: ['invalid_token', 'not_found', 'rate_limited', 'account_locked'],
      },
      async ({ mfa_pending_token }, { trail }): Promise<MessageView> => {
        const { user, claims } = await secondStep.open(mfa_pending_token);
        trail.subject = user.id;
        const methods = await factors.methodsOf(user, claims.replaces !== undefined);
        if (!methods.includes('sms')) throw new GatehouseError('not_found');
        await lockout.open({ code: user.id });
        await secondStep.sendText(user, claims.jti);
        return { message: 'A code was sent by text message.' };
      },
    );

  return { confirmLoginMfa, sendMfaCode, startMfaPasskey };
}

/** What a wrong guess is answered with. */
const wrongGuesses: readonly string[] = ['mfa_code_wrong', 'LOCKED', 'passkey_invalid'];

/** Returns the method of a code that names none: one that is not made of digits is a recovery code. */
function methodOf(code: string | null, methods: MfaMethod[]): MfaMethod | undefined {
  const isRecoveryCode = methods.includes('recovery_code') && !/^[\d\s]*$/.test(code ?? '');
  return isRecoveryCode ? 'recovery_code' : methods.find(each => each !== 'passkey');
}
