import { UserIdInput } from '../contract/inputs/admin.ts';
import { AdminEndSessionInput } from '../contract/inputs/sessions.ts';
import type { UserPublic } from '../contract/views/account.ts';
import { AuthenticatorsView } from '../contract/views/authenticators.ts';
import { EndedView, SessionListView } from '../contract/views/sessions.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { viewerOf } from '../domain/own-data.ts';
import { GatehouseError } from '../errors.ts';
import type { GetUser } from './get-user.ts';

/** Looks of administrators at the factors and sessions of an account, and their removal. */
export function createAdminSecurity(
  { config, strongSignIn, sessions: { sessionList }, views, define }: Dependencies,
  getUser: GetUser,
) {
  const { secondFactor, factors } = strongSignIn;
  const { toUserPublic } = views;
  const access = { kind: 'superuser' } as const;
  /** Of the own account. */
  const lastFactor = config.mfaRequired === 'off' ? [] : (['last_factor'] as const);

  const disablePhone = define(
    {
      name: 'adminDisablePhone',
      at: 'DELETE /admin/users/{id}/phone',
      summary: 'Removes the phone of somebody who lost it and turns the second step off.',
      description: 'Authenticators of the account stay. The owner gets an email about it.',
      access: { ...access, isAdministration: config.recentSignInForAdministration, isSensitiveForSelf: true },
      input: UserIdInput,
      output: views.UserPublic,
      errors: ['not_found', ...lastFactor],
    },
    async ({ id }, { trail, by }): Promise<UserPublic> => {
      const changed = await secondFactor.removePhone(await getUser(id, trail), trail);
      return toUserPublic(changed ?? (await getUser(id, trail)), viewerOf(by));
    },
  );

  const userAuthenticators = define(
    {
      name: 'userAuthenticators',
      at: 'GET /admin/users/{id}/authenticators',
      summary: 'The authenticator apps and passkeys of an account.',
      description: 'Neither secrets nor public keys are shown.',
      access,
      input: UserIdInput,
      output: AuthenticatorsView,
      errors: ['not_found'],
    },
    async ({ id }, { trail }): Promise<AuthenticatorsView> => {
      return factors.view(await getUser(id, trail));
    },
  );

  const removeAuthenticators = define(
    {
      name: 'adminRemoveAuthenticators',
      at: 'DELETE /admin/users/{id}/authenticators',
      summary:
        'Removes every second factor of somebody who lost them: phone, authenticators and recovery codes.',
      description:
        'The person signs in with the password alone until a new factor is set up. The owner gets an email about it.',
      access: { ...access, isAdministration: config.recentSignInForAdministration, isSensitiveForSelf: true },
      input: UserIdInput,
      output: views.UserPublic,
      errors: ['not_found', ...lastFactor],
    },
    async ({ id }, { trail, by }): Promise<UserPublic> => {
      const changed = await secondFactor.removeAll(await getUser(id, trail), trail);
      return toUserPublic(changed ?? (await getUser(id, trail)), viewerOf(by));
    },
  );

  const userSessions = define(
    {
      name: 'userSessions',
      at: 'GET /admin/users/{id}/sessions',
      summary: 'The sessions of an account, the one used last first.',
      description: 'Each has the browser and the IP address of its sign-in.',
      access,
      input: UserIdInput,
      output: SessionListView,
      errors: ['not_found'],
    },
    async ({ id }, { session, trail }): Promise<SessionListView> => {
      const user = await getUser(id, trail);
      return { items: await sessionList!.list(user, session?.claims.jti ?? null) };
    },
  );

  const endSession = define(
    {
      name: 'adminEndSession',
      at: [
        { at: 'DELETE /admin/users/{id}/sessions', operationId: 'adminEndEverySession' },
        'DELETE /admin/users/{id}/sessions/{session_id}',
      ],
      summary: 'Ends one session of an account, or every listed one.',
      description: 'Tokens of ended sessions are refused from then on by every process.',
      access,
      input: AdminEndSessionInput,
      output: EndedView,
      errors: ['not_found'],
    },
    async ({ id, session_id }, { trail, t }): Promise<EndedView> => {
      const user = await getUser(id, trail);
      if (session_id == null) {
        return { message: t('notice_sessions_ended'), ended: await sessionList!.endOthers(user, null) };
      }
      if (!(await sessionList!.endOne(user, session_id))) throw new GatehouseError('not_found');
      return { message: t('notice_session_ended'), ended: 1 };
    },
  );

  return { disablePhone, userAuthenticators, removeAuthenticators, userSessions, endSession };
}
