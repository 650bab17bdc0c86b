import { v4 as uuidv4 } from 'uuid';
import type { MfaChallengeView, MfaMethod } from '../contract/views/sign-in.ts';
import type { Claims } from '../crypto/claims.ts';
import { GatehouseError } from '../errors.ts';
import type { User } from '../tables/user.ts';
import type { TextedCodes } from './codes.ts';
import type { Dependencies } from './dependencies.ts';
import type { Proof } from './proof.ts';
import { redeemToken } from './purpose-tokens.ts';

export type SecondStep = ReturnType<typeof createSecondStep>;

/** A second step that was begun and is still possible: its user, and what its pending token says. */
export interface PendingStep {
  user: User;
  claims: Claims;
}

type Needed =
  | 'config'
  | 'clock'
  | 'repositories'
  | 'sessions'
  | 'events'
  | 'limits'
  | 'strongSignIn'
  | 'views';

interface Parts extends Pick<Dependencies, Needed> {
  texted: TextedCodes | undefined;
}

/** The second step (MFA) between an accepted first factor and a session (CONTRACT §9.4). */
export function createSecondStep(parts: Parts) {
  const { config, clock, repositories, events, texted } = parts;
  const { tokens, issuing } = parts.sessions;
  const { lockout } = parts.limits;
  const { factors, authenticators } = parts.strongSignIn;
  const { users, challenges, blacklist } = repositories;
  const { toUserPublic } = parts.views;
  const most = config.smsCodeMaxAttempts;

  /** Sends a code for this pending token by text message. @throws {GatehouseError} rate_limited */
  const sendText = (user: User, jti: string) =>
    texted!.send({ userId: user.id, kind: 'login', phoneNumber: user.phoneNumber! }, jti, user.locale);

  return {
    /** Returns the methods of the second step, strongest first; none when no second step is due. */
    async methodsOf(user: User, { replaces }: Pick<Proof, 'replaces'>): Promise<MfaMethod[]> {
      const methods = await factors.methodsOf(user, replaces !== undefined);
      // Left on by a process that was killed while it added or removed a factor; where it is, the policy asks for none.
      if (user.isMfaEnabled && methods.length === 0) await authenticators.switchOffIfNoneIsLeft(user.id);
      return methods;
    },

    sendText,

    /**
     * Returns the challenge of the second step, after a text message was sent where that is the strongest method. Returns
     * null when the user was revoked since being read.
     * @throws {GatehouseError} rate_limited, account_locked
     */
    async begin(
      user: User,
      methods: MfaMethod[],
      { amr, replaces, supersedes, secondsAgo }: Proof,
    ): Promise<MfaChallengeView | null> {
      await lockout.open({ code: user.id });
      const jti = uuidv4();
      const sessions = { ...(replaces && { replaces }), ...(supersedes && { supersedes }) };
      // A second step does not make the first one recent.
      const age = secondsAgo !== undefined && { auth_time: issuing.authTime(secondsAgo) };
      const token = await issuing.issue('login_mfa', user, { jti, amr, ...age, ...sessions });
      if (token === null) return null;
      const isTexted = methods[0] === 'sms';
      if (isTexted) await sendText(user, jti);
      await events.emit('mfa_login_started', { user: toUserPublic(user) });
      const expires_in = config.mfaPendingTokenTtlSeconds;
      return {
        status: 'mfa_required',
        mfa_pending_token: token,
        expires_in,
        ...factors.describeMethods(methods),
      };
    },

    /** Returns the step that a pending token belongs to. @throws {GatehouseError} invalid_token */
    async open(pendingToken: string): Promise<PendingStep> {
      const { claims, user } = await redeemToken(tokens, 'login_mfa', pendingToken, users.find);
      if (await blacklist.has(claims.jti)) throw new GatehouseError('invalid_token');
      // Signing in again continues a session; where that one has ended, there is nothing to continue.
      if (claims.replaces && (await blacklist.has(claims.replaces.jti)))
        throw new GatehouseError('invalid_token');
      return { user, claims };
    },

    /**
     * Ends a pending token, just before the sign-in that it finishes. Of parallel calls, exactly one returns true. An instance
     * of the former version does not ask for it, which matters as long as a pending token lives.
     */
    useUp: ({ claims: { jti, exp } }: PendingStep): Promise<boolean> =>
      blacklist.add({ jti, exp: new Date(Math.ceil(exp * 1000)) }),

    /**
     * Claims one of the guesses that a pending token allows, before the guess is compared (brute force). The count is of
     * all methods together, and requesting another text message does not reset it.
     * @returns how many guesses remain after this one
     * @throws {GatehouseError} LOCKED
     */
    async claimGuess({ user, claims: { jti } }: PendingStep): Promise<number> {
      const now = clock.now();
      const id = `second_step-${jti}`;
      const count = { id, purpose: 'second_step' as const, userId: user.id, boundTo: jti };
      const ttlMs = config.mfaPendingTokenTtlSeconds * 1000;
      const times = { createdAt: now, expiresAt: new Date(now.getTime() + ttlMs) };
      const isFirst = await challenges.add({ ...count, ...times, attempts: 1 });
      if (isFirst) return most - 1;
      if (!(await challenges.claimAttempt(id, most))) throw new GatehouseError('LOCKED');
      const { attempts } = (await challenges.find(id, 'second_step')) ?? { attempts: most };
      return most - attempts;
    },
  };
}
