import { acceptInvitationInput } from '../contract/inputs/invitations.ts';
import type { UserPublic } from '../contract/views/account.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { setMailedPassword } from '../domain/mailed-password.ts';
import { redeemToken } from '../domain/purpose-tokens.ts';
import { GatehouseError } from '../errors.ts';

/** Invitations, for those who are invited; the host sends them by the server API (CONTRACT §15.3). */
export function createInvitations(parts: Dependencies) {
  const { repositories, events, views, define } = parts;
  const { tokens } = parts.sessions;
  const { notices } = parts.mails;

  const acceptInvitation = define(
    {
      name: 'acceptInvitation',
      at: 'POST /accept-invitation',
      summary: 'Sets the password of an account with the token of an invitation, and verifies its address.',
      description: 'The token is good once. It is no sign-in: the person signs in with the new password.',
      access: { kind: 'anyone' },
      input: acceptInvitationInput(parts.config),
      output: views.UserPublic,
      limit: 'accept_invitation',
      errors: ['invalid_token'],
    },
    async ({ token, password }, { trail }): Promise<UserPublic> => {
      const { user } = await redeemToken(tokens, 'invitation', token, repositories.users.find);
      trail.subject = user.id;
      // Where somebody uses the account already, this is a reset to them.
      const signsUp = user.hashedPassword === null && user.lastLogin === null;
      const set = await setMailedPassword(parts, user, password, 'password', { trail, signsUp });
      if (!set) throw new GatehouseError('invalid_token');
      const { changed, apiKeys } = set;
      if (!signsUp) await notices.notify('passwordResetDone', changed, trail, { apiKeys });
      const view = views.toUserPublic(changed);
      await events.emit('invitation_accepted', { user: view });
      if (!user.isVerified) await events.emit('user_verified', { user: view });
      return view;
    },
  );

  return { acceptInvitation };
}
