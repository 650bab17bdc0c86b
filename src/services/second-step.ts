import { confirmLoginMfaInput, PendingStepInput } from '../contract/inputs/second-step.ts';
import { MessageView } from '../contract/views/message.ts';
import { type MfaMethod, SessionView } from '../contract/views/sign-in.ts';
import type { AuthenticationMethod } from '../crypto/claims.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { FactorProof, Prove, StepGuess } from '../domain/factor-proof.ts';
import type { PendingStep } from '../domain/second-step.ts';
import type { SigningIn } from '../domain/signing.ts';
import { GatehouseError } from '../errors.ts';
import type { Factor } from '../factor.ts';
import type { Trail } from '../observability/watch.ts';
import { codeErrors } from './phone.ts';

interface Methods {
  signing: SigningIn;
  proofs: readonly FactorProof[];
}

/** The second step of a sign-in, for every method that is switched on. */
export function createSecondStepService(parts: Dependencies, { signing, proofs: ofFeatures }: Methods) {
  const { config, clock, events, hooks, views, define } = parts;
  const { lockout, stepFailures } = parts.limits;
  const { factors, recoveryCodes } = parts.strongSignIn;
  const { notices } = parts.mails;
  const { secondStep, signIn, texted } = signing;
  const methodsWith = (what: Factor['takes']): MfaMethod[] =>
    factors.on.filter(({ takes }) => takes === what).map(({ kind }) => kind);
  const withCredential = methodsWith('credential');
  const refusals: string[] = ['mfa_code_wrong', 'LOCKED', ...ofFeatures.map(({ refusal }) => refusal)];

  /** Returns how many seconds ago a time in seconds was; at least 0, whatever clock has written it. */
  const secondsSince = (time: number) => Math.max(0, Math.floor(clock.now().getTime() / 1000) - time);

  const proveText: Prove = async ({ user, claims }, { code }, { remaining, ip }) => {
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

  const proveRecoveryCode: Prove = async ({ user }, { code }, { decide, trail }) => {
    const { left } = await decide(() => recoveryCodes.match(user.id, code ?? ''));
    await notices.notify('recoveryCodeUsed', user, trail, { left });
    await events.emit('recovery_code_used', { user: views.toUserPublic(user), left });
    return [];
  };

  const proofs: Partial<Record<MfaMethod, Prove>> = {
    ...(texted && { sms: proveText }),
    ...Object.fromEntries(ofFeatures.map(({ kind, prove }) => [kind, prove])),
    recovery_code: proveRecoveryCode,
  };

  /**
   * Counts the outcome of a guess for its user, since the last right one (CONTRACT §9.4). Once too many were wrong, every
   * code is.
   * @throws {GatehouseError} what the proof throws; mfa_code_wrong
   */
  async function counted(
    { user }: PendingStep,
    { isCode, remaining }: { isCode: boolean; remaining: number },
    trail: Trail,
    check: () => Promise<AuthenticationMethod[]>,
  ): Promise<AuthenticationMethod[]> {
    const guess = await stepFailures.open(user);
    const attemptsRemaining = Math.min(remaining, config.smsCodeMaxAttempts - 1);
    const wrong = () => new GatehouseError('mfa_code_wrong', { attemptsRemaining });
    try {
      if (guess.isBlocked && isCode) throw wrong();
      const amr = await check();
      if (!isCode) await guess.acceptCredential();
      else if (!(await guess.accept())) throw wrong();
      return amr;
    } catch (error) {
      if (error instanceof GatehouseError && refusals.includes(error.code)) await guess.fail(trail);
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
      input: confirmLoginMfaInput(factors.on),
      output: SessionView,
      limit: 'login_mfa_confirm',
      errors: [
        ...(['invalid_token', ...codeErrors] as const),
        ...ofFeatures.flatMap(({ errors }) => errors),
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
      const [ofDevice] = methods.filter(each => withCredential.includes(each));
      const chosen = method ?? (credential ? ofDevice : methodOf(code, methods, withCredential));
      const prove = chosen && methods.includes(chosen) ? proofs[chosen] : undefined;
      if (!chosen || !prove) throw new GatehouseError('mfa_code_missing');
      // While text messages are the only method, the code itself counts the guesses.
      const remaining = factors.hasAuthenticators
        ? await secondStep.claimGuess(step)
        : Number.POSITIVE_INFINITY;
      const { ip } = caller;
      const guess: StepGuess = {
        decide: check => decide(step, ip, remaining, check),
        ...{ remaining, ip, trail },
      };
      const isCode = !withCredential.includes(chosen);
      const amr = await counted(step, { isCode, remaining }, trail, () =>
        prove(step, { code, id, credential }, guess),
      );
      const { auth_time: firstStep } = claims;
      const proof = {
        amr: [...(claims.amr ?? ['pwd']), ...amr, 'mfa' as const],
        method: 'mfa' as const,
        caller,
        ...(firstStep !== undefined && { secondsAgo: secondsSince(firstStep) }),
      };
      const { replaces, supersedes } = claims;
      const proceed = await signIn.allow(user, { ...proof, replaces, supersedes });
      // Before the session, so that of several proofs of one pending token one makes a session.
      const entered = (await secondStep.useUp(step)) ? await proceed() : null;
      if (!entered) throw new GatehouseError('invalid_token');
      return entered.answer as SessionView;
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
        input: PendingStepInput,
        output: MessageView,
        limit: 'login_mfa_send',
        errors: ['invalid_token', 'not_found', 'rate_limited', 'account_locked'],
      },
      async ({ mfa_pending_token }, { trail, t }): Promise<MessageView> => {
        const { user, claims } = await secondStep.open(mfa_pending_token);
        trail.subject = user.id;
        const methods = await factors.methodsOf(user, claims.replaces !== undefined);
        if (!methods.includes('sms')) throw new GatehouseError('not_found');
        await lockout.open({ code: user.id });
        await secondStep.sendText(user, claims.jti);
        return { message: t('notice_code_sent') };
      },
    );

  return { confirmLoginMfa, sendMfaCode };
}

/** Returns the method of a code that names none: one that is not made of digits is a recovery code. */
function methodOf(
  code: string | null,
  methods: MfaMethod[],
  withCredential: MfaMethod[],
): MfaMethod | undefined {
  const isRecoveryCode = methods.includes('recovery_code') && !/^[\d\s]*$/.test(code ?? '');
  return isRecoveryCode ? 'recovery_code' : methods.find(each => !withCredential.includes(each));
}
