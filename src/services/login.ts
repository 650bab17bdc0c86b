import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { LoginInput } from '../inputs/login.ts';
import type { Dependencies } from './dependencies.ts';
import { type MfaChallengeView, type SessionView, toUserPublic } from './views.ts';

export type Login = ReturnType<typeof createLogin>;

/** How often a login starts over when the account changes under it, before it gives up. */
const mostStarts = 5;

/** Sign-in with address and password. */
export function createLogin({ config, clock, repositories, hasher, sessions, events, define }: Dependencies) {
  const { users, pending } = repositories;

  /** A hash made with former parameters becomes one of today's, unless the password changed meanwhile. */
  async function upgradeHash(user: User, password: string): Promise<void> {
    const { id, hashedPassword } = user;
    if (!hashedPassword || !hasher.isOutdated(hashedPassword)) return;
    await users.change(id, { set: { hashedPassword: await hasher.hash(password) } }, { hashedPassword });
  }

  /** The account whose password this is. One hash is verified whatever is found, and the same rows are read. */
  async function accept(email: string, password: string): Promise<User> {
    const [user, row] = await Promise.all([users.findByEmail(email), pending.find(email)]);
    const waiting = !user && row?.userId === null && row.expiresAt > clock.now() ? row : null;
    const isRight = await hasher.verify(user ? user.hashedPassword : waiting?.hashedPassword, password);
    if (!isRight) throw new GatehouseError('invalid_credentials');
    if (!user)
      throw new GatehouseError(config.requireVerification ? 'email_not_verified' : 'invalid_credentials');
    if (!user.isActive) throw new GatehouseError('account_disabled');
    if (config.requireVerification && !user.isVerified) throw new GatehouseError('email_not_verified');
    return user;
  }

  const login = define(
    {
      name: 'login',
      access: 'anyone',
      input: LoginInput,
      errors: ['invalid_credentials', 'account_disabled', 'email_not_verified', 'unavailable'],
    },
    async ({ email, password }): Promise<SessionView | MfaChallengeView> => {
      for (let start = 0; start < mostStarts; start++) {
        const user = await accept(email, password);
        await upgradeHash(user, password);
        const session = await sessions.start(user);
        if (!session) continue;
        events.emit('user_logged_in', { user: toUserPublic(user), method: 'password' });
        return session;
      }
      throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
    },
  );

  return { login };
}
