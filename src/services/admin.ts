import type { z } from 'zod';
import {
  adminUpdateUserInput,
  PendingEmailInput,
  roleChangeInput,
  UserIdInput,
} from '../contract/inputs/admin.ts';
import type { Level } from '../contract/own-fields.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MessageView } from '../contract/views/message.ts';
import { concurrentChangeError } from '../domain/changed-meanwhile.ts';
import { changesOf, ownChangesOf } from '../domain/changes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { ExternalIdentities } from '../domain/external-identities.ts';
import { lookedUp, ownChange, viewerOf } from '../domain/own-data.ts';
import { assertPromotable, createSuperusers } from '../domain/superusers.ts';
import { endReport } from '../domain/trust.ts';
import { type ErrorCode, GatehouseError } from '../errors.ts';
import type { By } from '../events.ts';
import type { Trail } from '../observability/watch.ts';
import type { UserChange } from '../storage/repositories/users.ts';
import type { User } from '../tables/user.ts';
import { say } from '../words/said.ts';
import { createAdminCreate } from './admin-create.ts';
import { createAdminIdentities } from './admin-identities.ts';
import { createAdminLists } from './admin-lists.ts';
import { createAdminMails } from './admin-mails.ts';
import { createAdminRecovery } from './admin-recovery.ts';
import { createAdminSecurity } from './admin-security.ts';
import { createGetUser } from './get-user.ts';

/** Administration: what superusers may do, as far as the configuration enables it. */
export function createAdmin(parts: Dependencies, identities: ExternalIdentities | undefined) {
  const { enableSms2fa, enablePasswordReset } = parts.config;
  const { sessionList } = parts.sessions;
  const {
    disablePhone,
    userAuthenticators,
    removeAuthenticators,
    sendReset,
    requireNewPassword,
    userSessions,
    endSession,
    ...acts
  } = createAdminActs(parts);
  const { hasAuthenticators } = parts.strongSignIn.factors;
  return {
    ...createAdminLists(parts),
    identities: identities && createAdminIdentities(parts, identities),
    ...acts,
    disablePhone: enableSms2fa ? disablePhone : undefined,
    userAuthenticators: hasAuthenticators ? userAuthenticators : undefined,
    removeAuthenticators: hasAuthenticators ? removeAuthenticators : undefined,
    userSessions: sessionList && userSessions,
    endSession: sessionList && endSession,
    sendReset: enablePasswordReset ? sendReset : undefined,
    requireNewPassword: enablePasswordReset ? requireNewPassword : undefined,
  };
}

/** Acts of administration on one account, also used by the command line and the server API. */
export function createAdminActs(parts: Dependencies, level: Level = 'admin') {
  const { config, clock, repositories, removal, events, hooks, views, define } = parts;
  const { verification, notices } = parts.mails;
  const { locks, lockout, consecutiveFailures, stepFailures, mailCap } = parts.limits;
  const superusers = createSuperusers(repositories);
  const { users } = repositories;
  const { toUserPublic } = views;
  const found = lookedUp(views, level);
  const access = { kind: 'superuser' } as const;

  const getUser = createGetUser(parts);

  const readUser = define(
    {
      name: 'user',
      at: 'GET /admin/users/{id}',
      summary: 'One account.',
      description:
        'It says since when the account is reported and until when it is locked, which administration alone may know.',
      access,
      audited: 'people',
      input: UserIdInput,
      output: found.schema,
      errors: ['not_found'],
    },
    async ({ id }, { trail, by }): Promise<UserPublic> => {
      const user = await getUser(id, trail);
      const locked = await locks.readUntil(by === 'admin' ? [user.email] : []);
      return found.show(user, by, locked.get(user.email));
    },
  );

  async function update(
    {
      id,
      is_active,
      is_superuser,
      full_name: fullName,
      even_unverified,
      locale,
      fields,
      roles,
    }: z.infer<ReturnType<typeof adminUpdateUserInput>>,
    { trail, by }: { trail: Trail; by: By },
  ): Promise<UserPublic> {
    const user = await getUser(id, trail);
    const now = clock.now();
    const set = {
      ...(is_active != null && { isActive: is_active }),
      ...(is_superuser != null && { isSuperuser: is_superuser }),
      ...(fullName !== undefined && { fullName }),
      ...(locale !== undefined && { locale }),
    };
    const own = ownChange({ fields, roles });
    trail.changes = [...changesOf(user, set), ...ownChangesOf(user, { fields, roles })];
    if (Object.keys(set).length === 0 && !own) return toUserPublic(user, viewerOf(by));
    const isPromoted = set.isSuperuser === true && !user.isSuperuser;
    if (isPromoted) assertPromotable(user.isVerified, even_unverified);
    // Also on enabling: no token from before may become valid again.
    const isSwitched = set.isActive !== undefined && set.isActive !== user.isActive;
    const change: UserChange = {
      set: { ...set, updatedAt: now },
      ...(isSwitched && { cutOffAt: now }),
      ...own,
    };
    // The address that is promoted is the one that was judged.
    const only = isPromoted ? { email: user.email, isVerified: user.isVerified } : {};
    const changed = await superusers.changeKeepingOne(user, change, only);
    if (!changed) throw concurrentChangeError();
    if (isPromoted) await notices.notify('madeSuperuser', user, trail, { isTakenOver: false });
    await events.emit('user_updated', { user: toUserPublic(changed), by });
    return toUserPublic(changed, viewerOf(by));
  }

  const updateUser = define(
    {
      name: 'adminUpdateUser',
      at: 'PATCH /admin/users/{id}',
      summary: 'Changes the given fields of an account.',
      description:
        'A field that is left out stays as it is. Disabling an account ends every session. The last active superuser can be neither disabled nor demoted.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: adminUpdateUserInput(config, level),
      output: views.UserPublic,
      errors: ['not_found', 'last_superuser', 'email_not_verified'],
    },
    update,
  );

  /** As `updateUser`, of some roles alone: the others stay, whatever another change does to them at the same time. */
  const changeRoles = define(
    {
      name: 'adminUpdateUser',
      summary: 'Gives and takes roles of an account.',
      description: 'A role that is both given and taken is taken.',
      access,
      input: roleChangeInput(config),
      output: views.UserPublic,
      errors: ['not_found'],
    },
    ({ id, add, remove }, call) => {
      const given = add.filter(role => !remove.includes(role));
      return update(
        { id, locale: undefined, fields: undefined, roles: { known: [...add, ...remove], given } },
        call,
      );
    },
  );

  const deletion = {
    name: 'adminDeleteUser',
    summary: 'Deletes an account.',
    description:
      'Everything that belongs to the account is deleted, and every token is refused. It cannot be undone.',
    access: { ...access, isAdministration: config.recentSignInForAdministration, isSensitiveForSelf: true },
    input: UserIdInput,
    errors: [
      ...(['not_found', 'last_superuser', 'user_in_use'] as const),
      ...hooks.codesOf('beforeDelete'),
    ] satisfies ErrorCode[],
  };

  async function remove(id: string, trail: Trail): Promise<User> {
    const user = await getUser(id, trail);
    if (!(await removal.remove(user, trail))) throw concurrentChangeError();
    return user;
  }

  const deleteUser = define(
    { ...deletion, at: 'DELETE /admin/users/{id}', output: MessageView },
    async ({ id }, { trail, t }): Promise<MessageView> => {
      await remove(id, trail);
      return { message: t('notice_account_deleted') };
    },
  );

  /** As `deleteUser`, for the server API, which returns the account as it was. */
  const removeUser = define(
    { ...deletion, output: views.UserPublic },
    async ({ id }, { trail, by }): Promise<UserPublic> => toUserPublic(await remove(id, trail), viewerOf(by)),
  );

  const unlock = define(
    {
      name: 'adminUnlock',
      at: 'POST /admin/users/{id}/unlock',
      summary: 'Clears the failed sign-ins and other failed attempts of an account.',
      description:
        'It lifts a lockout, and a block of the password. Whatever a report has made distrusted stays so.',
      // Otherwise a stolen session would guess the password of its own account without limit.
      access: { ...access, isSensitiveForSelf: true },
      input: UserIdInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ id }, { trail, t }): Promise<MessageView> => {
      const user = await getUser(id, trail);
      await Promise.all([
        lockout.clearUser(user),
        consecutiveFailures.clear(user),
        stepFailures.unblock(user),
        mailCap.clear(user.email),
        endReport(repositories, user),
      ]);
      return { message: t('notice_account_unlocked') };
    },
  );

  const revokeSessions = define(
    {
      name: 'adminRevokeSessions',
      at: 'POST /admin/users/{id}/revoke-sessions',
      summary: 'Ends every session of an account.',
      description: 'Their tokens are refused from then on by every process. The owner can sign in again.',
      access,
      input: UserIdInput,
      output: views.UserPublic,
      errors: ['not_found'],
    },
    async ({ id }, { trail, by }): Promise<UserPublic> => {
      await getUser(id, trail);
      const changed = await users.change(id, { cutOffAt: clock.now() });
      return toUserPublic(changed ?? (await getUser(id, trail)), viewerOf(by));
    },
  );

  const promotePending = define(
    {
      name: 'adminPromotePending',
      at: 'POST /admin/pending/{email}/promote',
      summary: 'Makes a pending registration a verified account without the email.',
      description:
        'The person signs in with the password of the registration. An account whose address was registered more than once has no password until its owner resets it.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: PendingEmailInput,
      output: views.UserPublic,
      errors: ['not_found', 'email_taken'],
    },
    async ({ email }, { trail, by }): Promise<UserPublic> => {
      const user = await verification.createUser(async () => {
        const row = await verification.findPending(email);
        if (row) return row;
        throw new GatehouseError('not_found', { detail: say('error_no_pending_registration') });
      }, by);
      if (!user) throw new GatehouseError('email_taken');
      trail.subject = user.id;
      return toUserPublic(user, viewerOf(by));
    },
  );

  return {
    ...createAdminCreate(parts, level),
    ...createAdminMails(parts, getUser),
    ...createAdminSecurity(parts, getUser),
    ...createAdminRecovery(parts, getUser),
    readUser,
    updateUser,
    changeRoles,
    deleteUser,
    removeUser,
    unlock,
    revokeSessions,
    promotePending,
  };
}
