import { z } from 'zod';
import { IssueSessionInput, UserEmailInput } from '../contract/inputs/host.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { MfaChallengeView, SessionView } from '../contract/views/sign-in.ts';
import { mostStarts } from '../domain/contention.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { viewerOf } from '../domain/own-data.ts';
import type { Proof } from '../domain/proof.ts';
import type { SignIn } from '../domain/sign-in.ts';
import { contentionError, GatehouseError } from '../errors.ts';
import { say } from '../words/said.ts';
import { createAdminActs } from './admin.ts';
import { createAdminLists } from './admin-lists.ts';

export type Host = ReturnType<typeof createHost>;

/**
 * The acts of a host application by the server API (CONTRACT §15.3): those of administration, and what only a program that
 * knows its people may do.
 */
export function createHost(parts: Dependencies, signIn: SignIn) {
  const { config, repositories, hooks, views, define } = parts;
  const { toUserPublic } = views;
  const { users } = repositories;
  const {
    readUser,
    createUser,
    updateUser,
    removeUser,
    revokeSessions,
    inviteUser,
    changeEmail,
    replacePassword,
  } = createAdminActs(parts, 'host');
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
      if (!user) throw new GatehouseError('not_found', { detail: say('error_no_account_with_address') });
      trail.subject = user.id;
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
        if (!user) throw new GatehouseError('not_found', { detail: say('error_no_account') });
        trail.subject = user.id;
        signIn.assertAllowed(user);
        if (user.reportedAt !== null)
          throw new GatehouseError('unauthenticated', { detail: say('error_reported') });
        const entered = await (mfa ? signIn.start(user, proof) : signIn.enter(user, proof));
        if (entered) return entered.answer;
      }
      throw contentionError();
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
    replacePassword: config.enablePasswordReset ? replacePassword : undefined,
    issueSession,
  };
}
