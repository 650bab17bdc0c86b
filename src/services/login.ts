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
  async function accept(email: string, password: string, ip: string | null): Promise<User> {
    const [user, row] = await Promise.all([users.findByEmail(email), pending.find(email)]);
    if (user && secondStep?.isDue(user)) await secondStep.assertOpen(user);
    const isWaiting =
      !user && row?.userId === null && row.expiresAt > clock.now() && config.requireVerification;
    const hash = isWaiting ? row.hashedPassword : user?.hashedPassword;
    if (!(await hasher.verify(hash, password))) {
      await lockout.recordFailure({ login: email }, ip);
      throw new GatehouseError('invalid_credentials');
    }
    await lockout.assertOpen({ login: email });
    if (!user) throw new GatehouseError('email_not_verified');
    if (!user.isActive) throw new GatehouseError('account_disabled');
    if (config.requireVerification && !user.isVerified) throw new GatehouseError('email_not_verified');
    return user;
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
    async ({ email, password }, { caller }): Promise<SessionView | MfaChallengeView> => {
      for (let start = 0; start < mostStarts; start++) {
        await lockout.assertOpen({ login: email });
        const user = await accept(email, password, caller.ip);
        await upgradeHash(user, password);
        if (secondStep?.isDue(user)) {
          // Nothing is cleared while the second step is due: only a session does that.
          const challenge = await secondStep.begin(user);
          if (challenge) return challenge;
          continue;
        }
        const started = await issuing.startSession(user);
        if (!started) continue;
        await lockout.clearUser(user);
        events.emit('user_logged_in', { user: toUserPublic(started.user), method: 'password' });
        return started.session;
      }
      throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
    },
  );

  return { login };
}
