import { v7 as uuidv7 } from 'uuid';
import { randomToken, tokenHash } from '../crypto/one-time.ts';
import type { PendingRegistration } from '../entities/pending-registration.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { RegisterInput, ResendVerificationInput, VerifyInput } from '../inputs/registration.ts';
import { linkTo } from '../mail/links.ts';
import type { Dependencies } from './dependencies.ts';
import { type MessageView, type PendingView, toUserPublic, type UserPublic } from './views.ts';

export type Registration = ReturnType<typeof createRegistration>;

/** How an account comes to be, and how its address is verified. */
export function createRegistration(parts: Dependencies) {
  const { config, clock, repositories, hasher, outbox, events, background, define } = parts;
  const { users, pending } = repositories;

  /** Mails a fresh link for a row, which replaces the one before and its link. */
  async function requestVerification(
    row: Omit<PendingRegistration, 'tokenHash' | 'expiresAt'>,
  ): Promise<Date> {
    const token = randomToken();
    const ttlSeconds = config.verificationTokenTtlSeconds;
    const expiresAt = new Date(clock.now().getTime() + ttlSeconds * 1000);
    await pending.replace({ ...row, tokenHash: tokenHash(token), expiresAt });
    const link = linkTo(config.urls.verify, 'token', token);
    outbox.post('verification', { to: row.email, url: link.url, ttlSeconds });
    events.emit('verification_requested', { email: row.email, ...link });
    return expiresAt;
  }

  function newUser(fields: Pick<User, 'email' | 'fullName' | 'hashedPassword' | 'isVerified'>): User {
    const now = clock.now();
    return {
      id: uuidv7({ msecs: now.getTime() }),
      phoneNumber: null,
      isActive: true,
      isSuperuser: false,
      isMfaEnabled: false,
      createdAt: now,
      updatedAt: now,
      lastLogin: null,
      tokensInvalidatedAfter: null,
      lastIssuedAt: null,
      ...fields,
    };
  }

  const register = define(
    {
      name: 'register',
      access: 'anyone',
      input: RegisterInput,
      errors: ['registration_closed', 'email_taken', 'unavailable'],
    },
    async (input): Promise<PendingView | UserPublic> => {
      if (!config.allowRegistration) throw new GatehouseError('registration_closed');
      const { email, password, full_name: fullName = null } = input;
      if (await users.findByEmail(email)) throw new GatehouseError('email_taken');
      const hashedPassword = await hasher.hash(password);

      if (config.requireVerification) {
        const createdAt = clock.now();
        const row = { email, userId: null, hashedPassword, fullName, createdAt };
        const expiresAt = await requestVerification(row);
        return { status: 'pending_verification', email, expires_at: expiresAt.toISOString() };
      }

      const user = newUser({ email, fullName, hashedPassword, isVerified: false });
      if (!(await users.add(user))) throw new GatehouseError('email_taken');
      // A registration of a time when verification was required must not come to life later.
      await pending.remove(email);
      const view = toUserPublic(user);
      events.emit('user_registered', { user: view });
      return view;
    },
  );

  /** The user is stored before the row is taken: a stop in between loses nothing, and the unique address decides. */
  async function becomeUser(row: PendingRegistration): Promise<User> {
    const { email, fullName, hashedPassword } = row;
    const user = newUser({ email, fullName, hashedPassword, isVerified: true });
    const added = await users.add(user);
    await pending.take(row);
    if (!added) throw new GatehouseError('invalid_token');
    events.emit('user_registered', { user: toUserPublic(user) });
    return user;
  }

  /** The row is taken first: of several that hold the link, one gets through, and only for the address it went to. */
  async function verifyUser(row: PendingRegistration & { userId: string }): Promise<User> {
    if (!(await pending.take(row))) throw new GatehouseError('invalid_token');
    const change = { set: { isVerified: true, updatedAt: clock.now() } };
    await users.change(row.userId, change, { email: row.email });
    const user = await users.find(row.userId);
    if (user?.email !== row.email) throw new GatehouseError('invalid_token');
    return user;
  }

  const verify = define(
    { name: 'verify', access: 'anyone', input: VerifyInput, errors: ['invalid_token'] },
    async ({ token }): Promise<UserPublic> => {
      const row = await pending.findByTokenHash(tokenHash(token));
      if (!row || row.expiresAt <= clock.now()) throw new GatehouseError('invalid_token');
      const { userId } = row;
      const user = userId === null ? await becomeUser(row) : await verifyUser({ ...row, userId });
      const view = toUserPublic(user);
      events.emit('user_verified', { user: view });
      return view;
    },
  );

  const resendVerification = define(
    { name: 'resendVerification', access: 'anyone', input: ResendVerificationInput, errors: [] },
    async ({ email }): Promise<MessageView> => {
      // The same two reads for every address; the rest happens after the answer.
      const [user, row] = await Promise.all([users.findByEmail(email), pending.find(email)]);
      const now = clock.now();
      if (user && !user.isVerified && user.isActive) {
        const fresh = { email, userId: user.id, hashedPassword: null, fullName: null, createdAt: now };
        background.run('resendVerification', async () => void (await requestVerification(fresh)));
      } else if (!user && row && row.userId === null && row.expiresAt > now) {
        background.run('resendVerification', async () => void (await requestVerification(row)));
      }
      return { message: 'If this address waits for verification, a new link is on its way.' };
    },
  );

  return { register, verify, resendVerification };
}
