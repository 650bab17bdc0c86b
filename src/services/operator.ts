import { z } from 'zod';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { email as emailField, newPassword } from '../inputs/fields.ts';
import { parse } from '../inputs/parse.ts';
import type { Dependencies } from './dependencies.ts';
import { newUser } from './new-user.ts';
import { toUserPublic, type UserPublic } from './views.ts';

export type Operator = ReturnType<typeof createOperator>;

/** What was done to make somebody a superuser. */
export type Promotion = 'created' | 'promoted' | 'taken_over' | 'unchanged';

const EmailInput = z.strictObject({ email: emailField });
const CreateAdminInput = z.strictObject({ email: emailField, password: newPassword.nullish() });

/** What an operator does at the command line, where access to the machine is the permission. */
export function createOperator(parts: Dependencies) {
  const { clock, repositories, hasher, lockout, outbox, events } = parts;
  const { users, pending, oauth_identities, mfa_codes } = repositories;

  async function getByEmail(raw: { email: string }): Promise<User> {
    const { email } = parse(EmailInput, raw);
    const user = await users.findByEmail(email);
    if (!user)
      throw new GatehouseError('not_found', { detail: `There is no user with the address ${email}.` });
    return user;
  }

  async function created(email: string, password: string): Promise<void> {
    const hashedPassword = await hasher.hash(password);
    const user = newUser(clock.now(), {
      email,
      fullName: null,
      hashedPassword,
      isVerified: true,
      isSuperuser: true,
    });
    if (!(await users.add(user))) throw new GatehouseError('email_taken');
    await pending.remove(email);
    events.emit('user_registered', { user: toUserPublic(user) });
  }

  /** Gives the account a new password and takes away whatever somebody else may have left in it. */
  async function takenOver(user: User, password: string): Promise<void> {
    const now = clock.now();
    await oauth_identities.removeAll(user.id);
    await mfa_codes.removeAll(user.id);
    await users.change(user.id, {
      set: {
        hashedPassword: await hasher.hash(password),
        isActive: true,
        isVerified: true,
        isSuperuser: true,
        phoneNumber: null,
        isMfaEnabled: false,
        updatedAt: now,
      },
      cutOffAt: now,
    });
    await lockout.clearUser(user);
  }

  return {
    /**
     * Creates or promotes a verified superuser; doing it again changes nothing. An account that is there is promoted
     * as it is only when it is verified and no password is given.
     */
    async createAdmin(raw: { email: string; password?: string | null }): Promise<Promotion> {
      const { email, password } = parse(CreateAdminInput, raw);
      const user = await users.findByEmail(email);
      const isTheirs =
        user?.isVerified && password != null && (await hasher.verify(user.hashedPassword, password));
      const isFit = user?.isVerified && (password == null || isTheirs);
      if (!isFit && password == null) {
        throw new GatehouseError('invalid_input', {
          detail: user
            ? `The address ${email} was never verified, so its account may be a stranger's: give a password to take it over.`
            : 'A password is needed to create an account: give --password or SVC_ADMIN_PASSWORD.',
        });
      }
      if (!user) {
        await created(email, password!);
        return 'created';
      }
      if (isFit && user.isSuperuser && user.isActive) return 'unchanged';
      if (isFit) {
        const change = { set: { isSuperuser: true, isActive: true, updatedAt: clock.now() } };
        await users.change(user.id, change);
      } else {
        await takenOver(user, password!);
      }
      if (!user.isSuperuser) outbox.post('madeSuperuser', { to: email });
      const after = await users.find(user.id);
      if (after) events.emit('user_updated', { user: toUserPublic(after), by: 'cli' });
      return isFit ? 'promoted' : 'taken_over';
    },

    show: async (raw: { email: string }): Promise<UserPublic> => toUserPublic(await getByEmail(raw)),

    async unlock(raw: { email: string }): Promise<void> {
      await lockout.clearUser(await getByEmail(raw));
    },

    async revoke(raw: { email: string }): Promise<void> {
      await users.change((await getByEmail(raw)).id, { cutOffAt: clock.now() });
    },

    /** Takes the second factor off for somebody who lost the phone. */
    async disableMfa(raw: { email: string }): Promise<void> {
      const user = await getByEmail(raw);
      await mfa_codes.removeAll(user.id);
      const set = { phoneNumber: null, isMfaEnabled: false, updatedAt: clock.now() };
      await users.change(user.id, { set });
      const after = await users.find(user.id);
      if (after) events.emit('user_updated', { user: toUserPublic(after), by: 'cli' });
    },
  };
}
