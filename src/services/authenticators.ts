import { z } from 'zod';
import { AuthenticatorIdInput, RenameAuthenticatorInput } from '../contract/inputs/authenticators.ts';
import {
  AuthenticatorsView,
  AuthenticatorView,
  RecoveryCodesView,
  toAuthenticatorView,
} from '../contract/views/authenticators.ts';
import { MessageView } from '../contract/views/message.ts';
import { findUserOfSession } from '../domain/authentication.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { sessionEndedError } from '../domain/reauthentication.ts';
import { GatehouseError } from '../errors.ts';

/** The authenticator apps and passkeys of an account, and its recovery codes. */
export function createAuthenticatorsService(parts: Dependencies) {
  const { repositories, define } = parts;
  const { authenticators: rules, factors, recoveryCodes } = parts.strongSignIn;
  const { notices } = parts.mails;
  const { authenticators } = repositories;

  const list = define(
    {
      name: 'authenticators',
      at: 'GET /authenticators',
      summary: 'The authenticator apps and passkeys of the account.',
      description:
        'Neither secrets nor public keys are shown. The number of unused recovery codes is told, too.',
      access: { kind: 'session', isOpenBeforeEnrolment: true },
      input: z.strictObject({}),
      output: AuthenticatorsView,
      audited: false,
      errors: [],
    },
    (_input, { session: { user } }): Promise<AuthenticatorsView> => factors.view(user),
  );

  const rename = define(
    {
      name: 'renameAuthenticator',
      at: 'PATCH /authenticators/{id}',
      summary: 'Gives an authenticator another name.',
      description: 'The name is shown to its owner alone, and changes nothing else.',
      access: { kind: 'session' },
      input: RenameAuthenticatorInput,
      output: AuthenticatorView,
      errors: ['not_found'],
    },
    async ({ id, name }, { session: { user } }): Promise<AuthenticatorView> => {
      const row = (await factors.list(user.id)).find(each => each.id === id);
      if (!row || !(await authenticators.rename(id, name))) throw new GatehouseError('not_found');
      return toAuthenticatorView({ ...row, name });
    },
  );

  const remove = define(
    {
      name: 'removeAuthenticator',
      at: 'DELETE /authenticators/{id}',
      summary: 'Removes an authenticator.',
      description: 'The last factor of an account that must have one cannot be removed.',
      access: { kind: 'session', isSensitive: true },
      input: AuthenticatorIdInput,
      output: MessageView,
      errors: ['not_found', 'last_factor'],
    },
    async ({ id }, { session, caller, trail, t }): Promise<MessageView> => {
      await rules.remove(session, id, caller, trail);
      return { message: t('notice_authenticator_removed') };
    },
  );

  const replaceRecoveryCodes = define(
    {
      name: 'replaceRecoveryCodes',
      at: 'POST /recovery-codes',
      summary: 'Issues new recovery codes; the former ones are void.',
      description:
        'They are shown only in this response. The account needs a second factor before it can have any.',
      access: { kind: 'session', isSensitive: true },
      input: z.strictObject({}),
      output: RecoveryCodesView,
      limit: 'recovery_codes',
      errors: ['not_found'],
    },
    async (_input, { session: { user, claims }, caller, trail }): Promise<RecoveryCodesView> => {
      if ((await factors.list(user.id)).length === 0) throw new GatehouseError('not_found');
      const hasSession = async () => (await findUserOfSession(repositories, claims, caller)) !== null;
      const recovery_codes = await recoveryCodes.replace(user.id, hasSession);
      if (!recovery_codes) throw sessionEndedError();
      // The last authenticator may have been removed meanwhile; the codes go with it.
      await rules.removeCodesIfNoneIsLeft(user.id);
      await notices.notify('recoveryCodesReplaced', user, trail, {}, 'authenticator');
      return { recovery_codes };
    },
  );

  return { list, rename, remove, replaceRecoveryCodes };
}
