import { z } from 'zod';
import type { User } from '../entities/user.ts';
import { GatehouseError } from '../errors.ts';
import {
  AdminUpdateUserInput,
  ListInput,
  ListUsersInput,
  PendingEmailInput,
  UserIdInput,
} from '../inputs/admin.ts';
import type { Trail } from '../observability/watch.ts';
import type { UserChange, UserKind, UserSearch } from '../storage/repositories/users.ts';
import type { Dependencies } from './dependencies.ts';
import type { Phone } from './phone.ts';
import { createTotals } from './totals.ts';
import {
  MessageView,
  PendingPage,
  StatsView,
  toPendingRegistrationView,
  toUserPublic,
  UserPage,
  UserPublic,
} from './views.ts';

export type Admin = ReturnType<typeof createAdmin>;

/** How many items a page has when nobody says. */
const usualPage = 50;

/** What superusers may do. */
export function createAdmin(parts: Dependencies, phone: Phone | undefined) {
  const { clock, repositories, superusers, removal, lockout, verification, outbox, events, define } = parts;
  const { users, pending } = repositories;
  const access = 'superuser';

  async function getUser(id: string, trail: Trail): Promise<User> {
    const user = await users.find(id);
    if (!user) throw new GatehouseError('not_found', { detail: 'There is no user with this id.' });
    trail.subject = user.id;
    return user;
  }

  const totals = createTotals();
  const countUsers = ({ search, kind = {} }: UserSearch) => {
    const count = (most?: number) => users.count({ search, kind }, most);
    return search ? totals.ofSearch(count) : totals.of(`users ${JSON.stringify(kind)}`, count);
  };
  const countPending = (now: Date, search?: string | null) => {
    const count = (most?: number) => pending.count(now, search, most);
    return search ? totals.ofSearch(count) : totals.of('pending registrations', count);
  };

  const stats = define(
    { name: 'adminStats', access, input: z.strictObject({}), answers: StatsView, audited: false, errors: [] },
    async (): Promise<StatsView> => {
      const [total, active, verified, superuserCount, waiting] = await Promise.all([
        countUsers({}),
        countUsers({ kind: { isActive: true } }),
        countUsers({ kind: { isVerified: true } }),
        countUsers({ kind: { isSuperuser: true } }),
        countPending(clock.now()),
      ]);
      return {
        total_users: total,
        active_users: active,
        verified_users: verified,
        superusers: superuserCount,
        pending_registrations: waiting,
      };
    },
  );

  const listUsers = define(
    { name: 'users', access, input: ListUsersInput, answers: UserPage, errors: [] },
    async ({ skip, limit, search, after, ...flags }): Promise<UserPage> => {
      const page = { skip: skip ?? 0, limit: limit ?? usualPage };
      const kind: UserKind = {
        ...(flags.is_active != null && { isActive: flags.is_active }),
        ...(flags.is_verified != null && { isVerified: flags.is_verified }),
        ...(flags.is_superuser != null && { isSuperuser: flags.is_superuser }),
        ...(flags.is_mfa_enabled != null && { isMfaEnabled: flags.is_mfa_enabled }),
      };
      const [rows, total] = await Promise.all([
        users.list({ ...page, search, after, kind }),
        countUsers({ search, kind }),
      ]);
      return { items: rows.map(toUserPublic), total, ...page };
    },
  );

  const readUser = define(
    { name: 'user', access, input: UserIdInput, answers: UserPublic, errors: ['not_found'] },
    async ({ id }, { trail }): Promise<UserPublic> => toUserPublic(await getUser(id, trail)),
  );

  const updateUser = define(
    {
      name: 'adminUpdateUser',
      access,
      input: AdminUpdateUserInput,
      answers: UserPublic,
      errors: ['not_found', 'last_superuser'],
    },
    async ({ id, is_active, is_superuser, full_name: fullName }, { trail }): Promise<UserPublic> => {
      const user = await getUser(id, trail);
      const now = clock.now();
      const set = {
        ...(is_active != null && { isActive: is_active }),
        ...(is_superuser != null && { isSuperuser: is_superuser }),
        ...(fullName !== undefined && { fullName }),
      };
      if (Object.keys(set).length === 0) return toUserPublic(user);
      // Also when switched on again: no token of the time before comes back to life.
      const isSwitched = set.isActive !== undefined && set.isActive !== user.isActive;
      const change: UserChange = { set: { ...set, updatedAt: now }, ...(isSwitched && { cutOffAt: now }) };
      if (!(await superusers.changeKeepingOne(user, change))) throw changedMeanwhile();
      const view = toUserPublic(await getUser(id, trail));
      if (!user.isSuperuser && set.isSuperuser) outbox.post('madeSuperuser', { to: user.email });
      events.emit('user_updated', { user: view, by: 'admin' });
      return view;
    },
  );

  const deleteUser = define(
    {
      name: 'adminDeleteUser',
      access,
      input: UserIdInput,
      answers: MessageView,
      errors: ['not_found', 'last_superuser'],
    },
    async ({ id }, { trail }): Promise<MessageView> => {
      if (!(await removal.remove(await getUser(id, trail), 'admin'))) throw changedMeanwhile();
      return { message: 'The account was deleted.' };
    },
  );

  const resendVerification = define(
    {
      name: 'adminResendVerification',
      access,
      input: UserIdInput,
      answers: MessageView,
      errors: ['not_found', 'already_verified'],
    },
    async ({ id }, { trail }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      if (user.isVerified) throw new GatehouseError('already_verified');
      await verification.request(verification.rowFor(user));
      return { message: 'A new verification link is on its way.' };
    },
  );

  const unlock = define(
    { name: 'adminUnlock', access, input: UserIdInput, answers: MessageView, errors: ['not_found'] },
    async ({ id }, { trail }): Promise<MessageView> => {
      await lockout.clearUser(await getUser(id, trail));
      return { message: 'The account is unlocked.' };
    },
  );

  const revokeSessions = define(
    { name: 'adminRevokeSessions', access, input: UserIdInput, answers: UserPublic, errors: ['not_found'] },
    async ({ id }, { trail }): Promise<UserPublic> => {
      await users.change((await getUser(id, trail)).id, { cutOffAt: clock.now() });
      return toUserPublic(await getUser(id, trail));
    },
  );

  const disablePhone =
    phone &&
    define(
      { name: 'adminDisablePhone', access, input: UserIdInput, answers: UserPublic, errors: ['not_found'] },
      async ({ id }, { trail }): Promise<UserPublic> => {
        const view = await phone.remove(await getUser(id, trail));
        return view ?? toUserPublic(await getUser(id, trail));
      },
    );

  const listPending = define(
    { name: 'pendingRegistrations', access, input: ListInput, answers: PendingPage, errors: [] },
    async ({ skip, limit, search, after }): Promise<PendingPage> => {
      const page = { skip: skip ?? 0, limit: limit ?? usualPage };
      const now = clock.now();
      const [rows, total] = await Promise.all([
        pending.list({ ...page, search, after }, now),
        countPending(now, search),
      ]);
      return { items: rows.map(toPendingRegistrationView), total, ...page };
    },
  );

  const promotePending = define(
    {
      name: 'adminPromotePending',
      access,
      input: PendingEmailInput,
      answers: UserPublic,
      errors: ['not_found', 'email_taken'],
    },
    async ({ email }, { trail }): Promise<UserPublic> => {
      const row = await pending.find(email);
      if (!row || row.userId !== null || row.expiresAt <= clock.now()) {
        throw new GatehouseError('not_found', { detail: 'No registration of this address is pending.' });
      }
      const user = await verification.becomeUser(row);
      if (!user) throw new GatehouseError('email_taken');
      trail.subject = user.id;
      return toUserPublic(user);
    },
  );

  return {
    ...{ stats, listUsers, readUser, updateUser, deleteUser, resendVerification },
    ...{ unlock, revokeSessions, disablePhone, listPending, promotePending },
  };
}

/** Somebody else changed the account between reading and writing; trying again decides on what it is now. */
const changedMeanwhile = () => new GatehouseError('unavailable', { retryAfterSeconds: 1 });
