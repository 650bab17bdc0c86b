import { z } from 'zod';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import { email as emailField, newPassword } from '../inputs/fields.ts';
import { parse } from '../inputs/parse.ts';
import type { Trail } from '../observability/watch.ts';
import type { Dependencies } from './dependencies.ts';
import { newUser } from './new-user.ts';
import { toUserPublic, type UserPublic } from './views.ts';

export type Operator = ReturnType<typeof createOperator>;

/** What was done to make somebody a superuser. */
export type Promotion = 'created' | 'promoted' | 'taken_over' | 'unchanged';

const EmailInput = z.strictObject({ email: emailField });
const CreateAdminInput = z.strictObject({ email: emailField, password: newPassword.nullish() });

/** Whose account. */
interface Named {
  email: string;
}

interface CreateAdmin extends Named {
  password?: string | null;
  /** Asks the operator, where a password is needed and none was given; null means that nobody can be asked. */
  askPassword?: () => Promise<string | null>;
}

/** What an operator does at the command line, where access to the machine is the permission. */
export function createOperator(parts: Dependencies) {
  const { clock, repositories, hasher, lockout, superusers, outbox, events, watch } = parts;
  const { users, pending, oauth_identities, mfa_codes } = repositories;

  /** An act of the command line, audited as the operations of the other doors are. */
  function act<I, R>(operation: string, work: (raw: I, trail: Trail) => Promise<R>) {
    const call = { operation, by: 'cli', isAudited: true, ip: null, requestId: null } as const;
    return (raw: I): Promise<R> => watch(call, trail => work(raw, trail));
  }

  async function getByEmail(raw: { email: string }, trail: Trail): Promise<User> {
    const { email } = parse(EmailInput, raw);
    trail.email = email;
    const user = await users.findByEmail(email);
    if (!user) {
      const detail = (await isWaiting(email))
        ? `The registration of ${email} waits for its confirmation; until then there is no user.`
        : `There is no user with the address ${email}.`;
      throw new GatehouseError('not_found', { detail });
    }
    trail.subject = user.id;
    return user;
  }

  /** Whether somebody registered and has not confirmed the address yet. */
  async function isWaiting(email: string): Promise<boolean> {
    const record = await pending.find(email);
    return record !== null && record.userId === null && record.expiresAt > clock.now();
  }

  async function created(email: string, password: string): Promise<User> {
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
    return user;
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
    createAdmin: act('createAdmin', async (raw: CreateAdmin, trail): Promise<Promotion> => {
      const { askPassword = async () => null, ...given } = raw;
      const { email } = parse(CreateAdminInput, given);
      trail.email = email;
      const user = await users.findByEmail(email);
      trail.subject = user?.id ?? null;
      const answer = given.password ?? (user?.isVerified ? null : await askPassword());
      const { password } = parse(CreateAdminInput, { email, password: answer });
      const isTheirs =
        user?.isVerified && password != null && (await hasher.verify(user.hashedPassword, password));
      const isFit = user?.isVerified && (password == null || isTheirs);
      if (!isFit && password == null) {
        throw new GatehouseError('invalid_input', {
          detail: user
            ? `The address ${email} was never verified, so its account may be a stranger's: give a password to take it over.`
            : (await isWaiting(email))
              ? `The registration of ${email} waits for its confirmation. Follow the link in its mail first, or create the account here: give --password or SVC_ADMIN_PASSWORD.`
              : 'A password is needed to create an account: give --password or SVC_ADMIN_PASSWORD.',
        });
      }
      if (!user) {
        trail.subject = (await created(email, password!)).id;
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
    }),

    show: act(
      'showUser',
      async (raw: Named, trail): Promise<UserPublic> => toUserPublic(await getByEmail(raw, trail)),
    ),

    unlock: act('unlock', async (raw: Named, trail): Promise<void> => {
      await lockout.clearUser(await getByEmail(raw, trail));
    }),

    revoke: act('revokeSessions', async (raw: Named, trail): Promise<void> => {
      await users.change((await getByEmail(raw, trail)).id, { cutOffAt: clock.now() });
    }),

    /** Keeps an account out, or lets it in again; every session ends, also those of the time before. */
    setActive: act('setActive', async (raw: Named & { isActive: boolean }, trail): Promise<void> => {
      const { isActive, ...named } = raw;
      const user = await getByEmail(named, trail);
      if (user.isActive === isActive) return;
      const now = clock.now();
      const change = { set: { isActive, updatedAt: now }, cutOffAt: now };
      if (!(await superusers.changeKeepingOne(user, change))) {
        throw new GatehouseError('unavailable', { detail: 'The account changed meanwhile. Try again.' });
      }
      events.emit('user_updated', { user: toUserPublic((await users.find(user.id)) ?? user), by: 'cli' });
    }),

    /** Takes the second factor off for somebody who lost the phone. */
    disableMfa: act('disableMfa', async (raw: Named, trail): Promise<void> => {
      const user = await getByEmail(raw, trail);
      await mfa_codes.removeAll(user.id);
      const set = { phoneNumber: null, isMfaEnabled: false, updatedAt: clock.now() };
      if ((await users.change(user.id, { set })) !== true) return;
      const after = toUserPublic({ ...user, ...set });
      if (user.phoneNumber !== null) {
        outbox.post('phoneRemoved', { to: user.email });
        events.emit('mfa_disabled', { user: after });
      }
      events.emit('user_updated', { user: after, by: 'cli' });
    }),
  };
}
