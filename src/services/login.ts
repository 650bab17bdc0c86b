import { z } from 'zod';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { LoginInput } from '../inputs/login.ts';
import type { Dependencies } from './dependencies.ts';
import type { SecondStep } from './second-step.ts';
import { MfaChallengeView, SessionView, toUserPublic } from './views.ts';

export type Login = ReturnType<typeof createLogin>;

/** How often a login starts over when the account changes under it, before it gives up. */
const mostStarts = 5;

const isSession = (entered: SessionView | MfaChallengeView | null) =>
  entered !== null && 'access_token' in entered;

/** Sign-in with address and password. */
export function createLogin(
  { config, clock, repositories, hasher, issuing, lockout, events, define }: Dependencies,
  secondStep: SecondStep | undefined,
) {
  const { users, pending } = repositories;

  /** A hash made with former parameters becomes one of today's, unless the password changed meanwhile. */
  async function upgradeHash(user: User, password: string): Promise<void> {
    const { id, hashedPassword } = user;
    if (!hashedPassword || !hasher.isOutdated(hashedPassword)) return;
    await users.change(id, { set: { hashedPassword: await hasher.hash(password) } }, { hashedPassword });
  }

  /** The account whose password this is. One hash is verified whatever is found, and the same rows are read. */
  async function check(email: string, password: string) {
    const [user, row] = await Promise.all([users.findByEmail(email), pending.find(email)]);
    const isWaiting =
      !user && row?.userId === null && row.expiresAt > clock.now() && config.requireVerification;
    const hash = isWaiting ? row.hashedPassword : user?.hashedPassword;
    return { user, isRight: await hasher.verify(hash, password) };
  }

  /** What a right password leads to; null when the account changed since it was read. */
  async function enter(user: User | null, password: string): Promise<SessionView | MfaChallengeView | null> {
    if (!user) throw new GatehouseError('email_not_verified');
    if (!user.isActive) throw new GatehouseError('account_disabled');
    if (config.requireVerification && !user.isVerified) throw new GatehouseError('email_not_verified');
    await upgradeHash(user, password);
    if (secondStep?.isDue(user)) return secondStep.begin(user);
    const started = await issuing.startSession(user);
    if (!started) return null;
    events.emit('user_logged_in', { user: toUserPublic(started.user), method: 'password' });
    return started.session;
  }

  const login = define(
    {
      name: 'login',
      access: 'anyone',
      input: LoginInput,
      answers: z.union([SessionView, MfaChallengeView]),
      limit: 'login',
      errors: [
        ...(['invalid_credentials', 'account_disabled', 'email_not_verified', 'account_locked'] as const),
        // Too many text messages to one phone.
        ...(secondStep ? (['rate_limited'] as const) : []),
      ],
    },
    async ({ email, password }, { caller, trail }): Promise<SessionView | MfaChallengeView> => {
      for (let start = 0; start < mostStarts; start++) {
        const guess = await lockout.open({ login: email });
        const { user, isRight } = await check(email, password);
        trail.subject = user?.id ?? null;
        const release = await guess.decide(isRight, caller.ip);
        if (!isRight) throw new GatehouseError('invalid_credentials');
        let entered: SessionView | MfaChallengeView | null = null;
        try {
          entered = await enter(user, password);
        } finally {
          // A session clears every count, the place of this guess among them; nothing else clears any.
          await (user && isSession(entered) ? lockout.clearUser(user) : release());
        }
        if (entered) return entered;
      }
      throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
    },
  );

  return { login };
}
