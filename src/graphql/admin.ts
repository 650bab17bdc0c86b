import type { InputRef } from '@pothos/core';
import type { AdminUpdateUserInput, PendingEmailInput, UserIdInput } from '../inputs/admin.ts';
import type { Admin } from '../services/admin.ts';
import type { PendingRegistrationView, StatsView, UserPublic } from '../services/views.ts';
import type { Builder, InputOf } from './builder.ts';
import { connect, connectionType, pageCost } from './connection.ts';
import { change, read } from './context.ts';
import type { SharedTypes } from './types.ts';

export function addAdmin(builder: Builder, types: SharedTypes, admin: Admin): void {
  addAdminQueries(builder, types, admin);
  addAdminMutations(builder, types, admin);
}

const authScopes = { superuser: true } as const;

function addAdminQueries(builder: Builder, { User, PendingRegistration }: SharedTypes, admin: Admin): void {
  const Stats = builder.objectRef<StatsView>('AdminStats').implement({
    fields: t => ({
      totalUsers: t.exposeInt('total_users'),
      activeUsers: t.exposeInt('active_users'),
      verifiedUsers: t.exposeInt('verified_users'),
      superusers: t.exposeInt('superusers'),
      pendingRegistrations: t.exposeInt('pending_registrations'),
    }),
  });
  const Users = connectionType<UserPublic>(builder, 'User', User as never);
  const Pendings = connectionType<PendingRegistrationView>(
    builder,
    'PendingRegistration',
    PendingRegistration as never,
  );

  builder.queryFields(t => {
    const listing = {
      first: t.arg.int({ description: 'At most 200; 50 when absent.' }),
      after: t.arg.string({ description: 'A cursor of the page before.' }),
      search: t.arg.string({ description: 'A part of address or name.' }),
    };
    const kind = {
      isActive: t.arg.boolean({ description: 'Only those who are, or only those who are not.' }),
      isVerified: t.arg.boolean(),
      isSuperuser: t.arg.boolean(),
      isMfaEnabled: t.arg.boolean(),
    };
    return {
      adminStats: t.field({
        type: Stats,
        nullable: true,
        authScopes,
        resolve: (_, _args, context) => read(admin.stats, context),
      }),
      users: t.field({
        type: Users,
        nullable: true,
        description: 'Every account, newest first.',
        authScopes,
        complexity: pageCost,
        args: { ...listing, ...kind },
        resolve: (_, args, context) =>
          connect(
            args,
            user => user.id,
            input => read(admin.listUsers, context, input),
          ),
      }),
      user: t.field({
        type: User,
        nullable: true,
        authScopes,
        args: { id: t.arg.id({ required: true }) },
        resolve: (_, { id }, context) => read(admin.readUser, context, { id }),
      }),
      pendingRegistrations: t.field({
        type: Pendings,
        nullable: true,
        description: 'Registrations that wait for their link to be used, by address.',
        authScopes,
        complexity: pageCost,
        args: listing,
        resolve: (_, args, context) =>
          connect(
            args,
            row => row.email,
            input => read(admin.listPending, context, input),
          ),
      }),
    };
  });
}

function addAdminDisablePhone(
  builder: Builder,
  User: SharedTypes['User'],
  UserId: InputRef<InputOf<typeof UserIdInput>>,
  disablePhone: NonNullable<Admin['disablePhone']>,
): void {
  builder.mutationField('adminDisablePhone', t =>
    t.field({
      type: User,
      nullable: true,
      description: 'Takes the second factor off for somebody who lost the phone.',
      authScopes,
      args: { input: t.arg({ type: UserId, required: true }) },
      resolve: (_, { input }, context) => change(disablePhone, context, input),
    }),
  );
}

function addAdminMutations(builder: Builder, { User, Message }: SharedTypes, admin: Admin): void {
  const Update = builder.inputRef<InputOf<typeof AdminUpdateUserInput>>('AdminUpdateUserInput').implement({
    fields: t => ({
      id: t.id({ required: true }),
      isActive: t.boolean({ description: 'False disables the account and ends its sessions.' }),
      isSuperuser: t.boolean(),
      fullName: t.string({ description: 'At most 200 characters; null clears it.' }),
    }),
  });
  const UserId = builder.inputRef<InputOf<typeof UserIdInput>>('AdminUserInput').implement({
    fields: t => ({ id: t.id({ required: true }) }),
  });
  const Pending = builder.inputRef<InputOf<typeof PendingEmailInput>>('AdminPromotePendingInput').implement({
    fields: t => ({ email: t.string({ required: true }) }),
  });

  if (admin.disablePhone) addAdminDisablePhone(builder, User, UserId, admin.disablePhone);
  builder.mutationFields(t => {
    const onUser = { input: t.arg({ type: UserId, required: true }) };
    return {
      adminUpdateUser: t.field({
        type: User,
        nullable: true,
        authScopes,
        args: { input: t.arg({ type: Update, required: true }) },
        resolve: (_, { input }, context) => change(admin.updateUser, context, input),
      }),
      adminDeleteUser: t.field({
        type: Message,
        nullable: true,
        authScopes,
        args: onUser,
        resolve: (_, { input }, context) => change(admin.deleteUser, context, input),
      }),
      adminResendVerification: t.field({
        type: Message,
        nullable: true,
        authScopes,
        args: onUser,
        resolve: (_, { input }, context) => change(admin.resendVerification, context, input),
      }),
      adminUnlock: t.field({
        type: Message,
        nullable: true,
        description: 'Forgets failed logins and other wrong guesses.',
        authScopes,
        args: onUser,
        resolve: (_, { input }, context) => change(admin.unlock, context, input),
      }),
      adminRevokeSessions: t.field({
        type: User,
        nullable: true,
        description: 'Ends every session of the account.',
        authScopes,
        args: onUser,
        resolve: (_, { input }, context) => change(admin.revokeSessions, context, input),
      }),
      adminPromotePending: t.field({
        type: User,
        nullable: true,
        description: 'Makes a pending registration a verified account without the mail.',
        authScopes,
        args: { input: t.arg({ type: Pending, required: true }) },
        resolve: (_, { input }, context) => change(admin.promotePending, context, input),
      }),
    };
  });
}
