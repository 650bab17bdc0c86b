import { z } from 'zod';
import { createUserInput, IssueSessionInput, UserEmailInput } from '../contract/inputs/host.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MfaChallengeView, SessionView } from '../contract/views/sign-in.ts';
import { changesOf, ownChangesOf } from '../domain/changes.ts';
import { mostStarts } from '../domain/contention.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { newUser } from '../domain/new-user.ts';
import { viewerOf, withoutNulls } from '../domain/own-data.ts';
import type { Proof } from '../domain/proof.ts';
import type { SignIn } from '../domain/sign-in.ts';
import { assertPromotable } from '../domain/superusers.ts';
import { GatehouseError } from '../errors.ts';
import { createAdminActs } from './admin.ts';
import { createAdminLists } from './admin-lists.ts';
import { capError, originOf } from './admin-mails.ts';

export type Host = ReturnType<typeof createHost>;

/**
 * What a host application does by the server API (CONTRACT §15.3): acts of administration, and what only a program that
 * knows its people may do.
 */
export function createHost(parts: Dependencies, signIn: SignIn) {
  const { config, clock, repositories, passwords, events, hooks, views, define } = parts;
  const { mailCap } = parts.limits;
  const { passwordLinks } = parts.mails;
  const { toUserPublic } = views;
  const { users, pending } = repositories;
  const { readUser, updateUser, removeUser, revokeSessions, inviteUser, changeEmail, requireNewPassword } =
    createAdminActs(parts, 'host');
  const { listUsers } = createAdminLists(parts, 'host');
  const access = { kind: 'superuser' } as const;

  const readUserByEmail = define(
    {
      name: 'userByEmail',
      summary: 'The account of an address.',
      access,
      audited: 'people',
      input: UserEmailInput,
      output: views.UserPublic,
      errors: ['not_found'],
    },
    async ({ email }, { by, trail }): Promise<UserPublic> => {
      const user = await users.findByEmail(email);
      if (!user) throw new GatehouseError('not_found', { detail: 'There is no account with this address.' });
      trail.subject = user.id;
      return toUserPublic(user, viewerOf(by));
    },
  );

  /**
   * The unique address decides against a registration at the same moment. The slot of the invitation is taken before, so
   * that there is no account whose owner was to be invited and cannot be. A stop after the account was stored leaves it
   * without its invitation, which `inviteUser` sends.
   */
  const createUser = define(
    {
      name: 'createUser',
      summary: 'Creates an account, and invites its owner to choose a password.',
      access,
      input: createUserInput(config),
      output: views.UserPublic,
      errors: ['email_taken', 'email_not_verified', 'rate_limited'],
    },
    async (
      { email, password, full_name: fullName = null, invite, even_unverified, fields, roles, ...flags },
      { caller, by, trail },
    ): Promise<UserPublic> => {
      const isVerified = flags.is_verified ?? false;
      const isSuperuser = flags.is_superuser ?? false;
      if (isSuperuser) assertPromotable(isVerified, even_unverified);
      const hashedPassword =
        password == null ? null : await passwords.hash(password, { email, fullName, field: 'password' });
      const user = newUser(clock.now(), {
        ...{ email, fullName, hashedPassword, isVerified, isSuperuser },
        fields: withoutNulls(fields),
        roles: roles ? [...roles.given] : null,
      });
      const unlike = { ...user, isVerified: false, isSuperuser: false };
      trail.changes = [
        ...changesOf(unlike, { isVerified, isSuperuser }),
        ...ownChangesOf(unlike, { fields, roles }),
        ...(invite ? ['invited'] : []),
      ];
      const slot = invite ? await mailCap.take('invitation', email, originOf(caller, by)) : undefined;
      if (slot === null) throw await capError(mailCap, 'invitation', email, 'No account was created.');
      if (!(await users.add(user))) {
        await slot?.release();
        throw new GatehouseError('email_taken');
      }
      trail.subject = user.id;
      // A stranger's registration of this address must not become valid later (pre-hijacking).
      await pending.remove(email);
      await events.emit('user_registered', { user: toUserPublic(user) });
      // Where the account was disabled or revoked in this moment, its invitation would be void.
      if (slot) await passwordLinks.post('invitation', user, slot);
      return toUserPublic(user, viewerOf(by));
    },
  );

  const issueSession = define(
    {
      name: 'issueSession',
      summary: 'Signs in somebody whom the host has identified.',
      access,
      input: IssueSessionInput,
      output: z.union([SessionView, MfaChallengeView]),
      errors: [
        ...([
          'not_found',
          'unauthenticated',
          'account_disabled',
          'email_not_verified',
          'account_locked',
        ] as const),
        ...hooks.codesOf('beforeSignIn'),
        // The cap on text messages to one phone.
        ...(config.enableSms2fa ? (['rate_limited'] as const) : []),
      ],
    },
    async (
      { id, method, mfa, ip, user_agent },
      { caller, trail },
    ): Promise<SessionView | MfaChallengeView> => {
      const person = { ...caller, ip: ip ?? null, userAgent: user_agent ?? undefined };
      const proof: Proof = { amr: mfa ? ['host', 'mfa'] : ['host'], method, caller: person };
      for (let start = 0; start < mostStarts; start++) {
        const user = await users.find(id);
        if (!user) throw new GatehouseError('not_found', { detail: 'There is no account with this id.' });
        trail.subject = user.id;
        signIn.assertAllowed(user);
        if (user.reportedAt !== null)
          throw new GatehouseError('unauthenticated', { detail: 'The account was reported.' });
        const entered = await (mfa ? signIn.start(user, proof) : signIn.enter(user, proof));
        if (entered) return entered.answer;
      }
      throw new GatehouseError('unavailable', { retryAfterSeconds: 1 });
    },
  );

  return {
    readUser,
    readUserByEmail,
    listUsers,
    createUser,
    inviteUser,
    updateUser,
    removeUser,
    revokeSessions,
    changeEmail,
    requireNewPassword: config.enablePasswordReset ? requireNewPassword : undefined,
    issueSession,
  };
}
