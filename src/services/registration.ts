import { z } from 'zod';
import { tokenHash } from '../crypto/one-time.ts';
import type { PendingRegistration } from '../entities/pending-registration.ts';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { RegisterInput, ResendVerificationInput, VerifyInput } from '../inputs/registration.ts';
import type { Dependencies } from './dependencies.ts';
import { newUser } from './new-user.ts';
import { MessageView, PendingView, toUserPublic, UserPublic } from './views.ts';

export type Registration = ReturnType<typeof createRegistration>;

/** How an account comes to be, and how its address is verified. */
export function createRegistration(parts: Dependencies) {
  const { config, clock, repositories, hasher, verification, events, background, define } = parts;
  const { users, pending } = repositories;

  /** Beyond the cap of mails the earlier registration stands, and the answer does not tell. */
  async function wait(fields: Pick<User, 'email' | 'fullName' | 'hashedPassword'>): Promise<PendingView> {
    const now = clock.now();
    const sent = await verification.request({ ...fields, userId: null, createdAt: now });
    const expiresAt = sent ?? new Date(now.getTime() + config.verificationTokenTtlSeconds * 1000);
    return { status: 'pending_verification', email: fields.email, expires_at: expiresAt.toISOString() };
  }

  const register = define(
    {
      name: 'register',
      access: 'anyone',
      input: RegisterInput,
      answers: z.union([PendingView, UserPublic]),
      limit: 'register',
      errors: ['registration_closed', 'email_taken'],
    },
    async (input, { trail }): Promise<PendingView | UserPublic> => {
      if (!config.allowRegistration) throw new GatehouseError('registration_closed');
      const { email, password, full_name: fullName = null } = input;
      if (await users.findByEmail(email)) throw new GatehouseError('email_taken');
      const hashedPassword = await hasher.hash(password);
      if (config.requireVerification) return wait({ email, fullName, hashedPassword });

      const user = newUser(clock.now(), { email, fullName, hashedPassword, isVerified: false });
      if (!(await users.add(user))) throw new GatehouseError('email_taken');
      trail.subject = user.id;
      // A registration of a time when verification was required must not come to life later.
      await pending.remove(email);
      const view = toUserPublic(user);
      events.emit('user_registered', { user: view });
      return view;
    },
  );

  /** The row is taken first: of several that hold the link, one gets through, and only for the address it went to. */
  async function verifyUser(row: PendingRegistration, userId: string): Promise<User | null> {
    if (!(await pending.take(row))) return null;
    const change = { set: { isVerified: true, updatedAt: clock.now() } };
    if ((await users.change(userId, change, { email: row.email, isActive: true })) !== true) return null;
    const user = await users.find(userId);
    if (user) events.emit('user_verified', { user: toUserPublic(user) });
    return user;
  }

  const verify = define(
    {
      name: 'verify',
      access: 'anyone',
      input: VerifyInput,
      answers: UserPublic,
      limit: 'verify',
      errors: ['invalid_token'],
    },
    async ({ token }, { trail }): Promise<UserPublic> => {
      const row = await pending.findByTokenHash(tokenHash(token));
      if (!row || row.expiresAt <= clock.now()) throw new GatehouseError('invalid_token');
      const user = await (row.userId === null ? verification.becomeUser(row) : verifyUser(row, row.userId));
      if (!user) throw new GatehouseError('invalid_token');
      trail.subject = user.id;
      return toUserPublic(user);
    },
  );

  const resendVerification = define(
    {
      name: 'resendVerification',
      access: 'anyone',
      input: ResendVerificationInput,
      answers: MessageView,
      limit: 'resend_verification',
      errors: [],
    },
    async ({ email }, { caller, trail }): Promise<MessageView> => {
      // The same two reads for every address; the rest happens after the answer.
      const [user, row] = await Promise.all([users.findByEmail(email), pending.find(email)]);
      trail.subject = user?.id ?? null;
      background.run('resendVerification', caller.requestId, async () => {
        if (user) {
          if (user.isActive && !user.isVerified) await verification.request(verification.rowFor(user));
        } else if (row && row.userId === null && row.expiresAt > clock.now()) {
          await verification.resend(row);
        }
      });
      return { message: 'If this address waits for verification, a new link is on its way.' };
    },
  );

  return { register, verify, resendVerification };
}
