import { z } from 'zod';
import { LoginInput } from '../contract/inputs/login.ts';
import { MfaChallengeView, SessionView } from '../contract/views/sign-in.ts';
import type { Background } from '../domain/background.ts';
import { mostStarts } from '../domain/contention.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Context } from '../domain/operation.ts';
import type { Proof } from '../domain/proof.ts';
import type { Entered, SignIn } from '../domain/sign-in.ts';
import { contentionError, GatehouseError, storageReason } from '../errors.ts';
import type { SignInRows } from '../storage/backend.ts';
import type { User } from '../tables/user.ts';

/** The parts of its request that a sign-in needs. */
type SignInContext = Pick<Context<'anyone'>, 'caller' | 'findSession'> & Pick<Proof, 'isFromKnownPlace'>;

/** Sign-in with address and password. */
export function createLogin(parts: Dependencies, signIn: SignIn, background: Background) {
  const { config, repositories, hooks, define } = parts;
  const { hasher } = parts.passwords;
  const { lockout, consecutiveFailures } = parts.limits;
  const { verification } = parts.mails;
  const { users } = repositories;

  /** Replaces an imported hash, or one with outdated parameters, unless the password changed meanwhile (compare-and-set). */
  async function upgradeHash(user: User, password: string): Promise<void> {
    const { id, hashedPassword } = user;
    if (!hashedPassword || !hasher.isOutdated(hashedPassword)) return;
    await users.change(id, { set: await hasher.rehash(password) }, { hashedPassword });
  }

  /**
   * Returns the account and whether the password is right. A wrong one takes the same work, and the same rows are read,
   * for every address (timing attack). A blocked password is not compared: a right guess would take less work than a wrong
   * one, and tell a guesser which it is.
   */
  async function checkPassword({ email, password }: z.infer<typeof LoginInput>, found: SignInRows) {
    const { user } = found;
    const row = verification.pendingOf(found.pending);
    const counted = await consecutiveFailures.open(user, email, found.failures);
    // No password is in force while a registration is contested; nor may a stranger learn by one of their own, with which
    // they have just registered, that the address has no account.
    const isRegistered = config.requireVerification && !config.enumerationSafeRegistration;
    const isPending = row !== null && isRegistered && !row.isContested;
    const stored = user ?? (isPending ? row : null);
    const inForce = counted.isBlocked ? null : stored;
    return { user, counted, isRight: await hasher.verifySignIn(inForce, password, user?.id ?? null) };
  }

  /** Signs in after a right password. Returns null when the account changed since it was read. */
  async function enter(
    user: User | null,
    password: string,
    { caller, findSession, isFromKnownPlace }: SignInContext,
  ): Promise<Entered | null> {
    if (!user) throw new GatehouseError('email_not_verified');
    signIn.assertAllowed(user);
    const superseded = await signIn.supersededBy(findSession);
    const proof: Proof = { amr: ['pwd'], method: 'password', caller, isFromKnownPlace, ...superseded };
    const proceed = await signIn.prepare(user, proof);
    await upgradeHash(user, password);
    return proceed();
  }

  const login = define(
    {
      name: 'login',
      at: 'POST /login',
      summary: 'Signs in with email address and password.',
      description:
        'Returns a session, or the token of a second step where the account has one. Failed attempts are counted for the address: after some of them it is locked for a while.',
      access: { kind: 'anyone', takesSession: signIn.takesSession },
      input: LoginInput,
      output: z.union([SessionView, MfaChallengeView]),
      limit: 'login',
      errors: [
        ...(['invalid_credentials', 'account_disabled', 'email_not_verified', 'account_locked'] as const),
        ...hooks.codesOf('beforeSignIn'),
        // The cap on text messages to one phone.
        ...(config.enableSms2fa ? (['rate_limited'] as const) : []),
      ],
    },
    async ({ email, password }, context): Promise<SessionView | MfaChallengeView> => {
      const { caller, trail } = context;
      for (let start = 0; start < mostStarts; start++) {
        const found = await users.findForSignIn(email, consecutiveFailures.decoyOf(email));
        const userId = found.user?.id ?? null;
        trail.subject = userId;
        const guess = await lockout.openSignIn(email, userId, caller, found.attempts);
        const { isFromKnownPlace } = guess;
        const { user, counted, isRight } = await checkPassword({ email, password }, found);
        const release = await guess.decide(isRight, caller.ip);
        if (!(await counted.decide(isRight, trail))) {
          // The password was blocked in this moment: the guess counts as a wrong one.
          if (isRight) await release().then(() => guess.decide(false, caller.ip));
          throw new GatehouseError('invalid_credentials');
        }
        const entered = await enter(user, password, { ...context, isFromKnownPlace }).catch(async error => {
          // Do not wait for an unavailable database a second time; a slot that cannot be released expires by itself.
          if (storageReason(error) === null) await release();
          else background.run('login', caller.requestId, () => release().catch(() => {}));
          throw error;
        });
        // A session has cleared the counts of sign-in, including the slot of this guess.
        if (!entered?.user) await release();
        if (entered) return entered.answer;
      }
      throw contentionError();
    },
  );

  return { login };
}
