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

/** What a right password led to; `user`, with a session, is the user as it is since. */
interface Entered {
  answer: SessionView | MfaChallengeView;
  user?: User;
}

const isUnavailable = (error: unknown) => error instanceof GatehouseError && error.code === 'unavailable';

/** Sign-in with address and password. */
export function createLogin(
  { config, clock, repositories, hasher, issuing, lockout, events, background, define }: Dependencies,
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
  async function enter(user: User | null, password: string): Promise<Entered | null> {
    if (!user) throw new GatehouseError('email_not_verified');
    if (!user.isActive) throw new GatehouseError('account_disabled');
    if (config.requireVerification && !user.isVerified) throw new GatehouseError('email_not_verified');
    await upgradeHash(user, password);
    if (secondStep?.isDue(user)) {
      const challenge = await secondStep.begin(user);
      return challenge && { answer: challenge };
    }
    const started = await issuing.startSession(user);
    return started && { answer: started.session, user: started.user };
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
        const entered = await enter(user, password).catch(async error => {
          // A database that is away must not be waited for twice; what can't be given back then lapses.
          if (!isUnavailable(error)) await release();
          else background.run('login', caller.requestId, () => release().catch(() => {}));
          throw error;
        });
        if (entered?.user) {
          // A session clears every count, the place of this guess among them; nothing else clears any.
          await lockout.clearUser(entered.user);
          events.emit('user_logged_in', { user: toUserPublic(entered.user), method: 'password' });
        } else {
          await release();
        }
        if (entered) return entered.answer;
      }
      throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
    },
  );

  return { login };
}
