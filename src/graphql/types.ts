import type {
  MessageView,
  MfaChallengeView,
  OAuthMfaView,
  PendingRegistrationView,
  PendingView,
  SessionView,
  UserPublic,
} from '../services/views.ts';
import type { Builder } from './builder.ts';

export type SharedTypes = ReturnType<typeof createSharedTypes>;

/** The types that more than one noun answers with. */
export function createSharedTypes(builder: Builder) {
  const User = builder.objectRef<UserPublic>('User').implement({
    description: 'An account.',
    fields: t => ({
      id: t.exposeID('id'),
      email: t.exposeString('email'),
      fullName: t.exposeString('full_name', { nullable: true }),
      phoneNumber: t.exposeString('phone_number', {
        nullable: true,
        description: 'E.164; with `isMfaEnabled` the second step of login goes there.',
      }),
      isActive: t.exposeBoolean('is_active'),
      isVerified: t.exposeBoolean('is_verified', { description: 'Whether the address was confirmed.' }),
      isSuperuser: t.exposeBoolean('is_superuser'),
      isMfaEnabled: t.exposeBoolean('is_mfa_enabled'),
      createdAt: t.expose('created_at', { type: 'DateTime' }),
      updatedAt: t.expose('updated_at', { type: 'DateTime' }),
      lastLogin: t.expose('last_login', { type: 'DateTime', nullable: true }),
      tokensInvalidatedAfter: t.expose('tokens_invalidated_after', {
        type: 'DateTime',
        nullable: true,
        description: 'Session tokens whose `iat` is not later than this are dead.',
      }),
    }),
  });

  const Message = builder.objectRef<MessageView>('Message').implement({
    description: 'What there is to say to people when there is nothing else to answer.',
    fields: t => ({ message: t.exposeString('message') }),
  });

  const Session = builder.objectRef<SessionView>('Session').implement({
    description: 'A finished sign-in. Send the token as `Authorization: Bearer <accessToken>`.',
    fields: t => ({
      accessToken: t.exposeString('access_token'),
      tokenType: t.exposeString('token_type', { description: 'Always `bearer`.' }),
      expiresIn: t.exposeInt('expires_in', { description: 'Lifetime in seconds.' }),
    }),
  });

  const PendingRegistration = builder
    .objectRef<PendingView | PendingRegistrationView>('PendingRegistration')
    .implement({
      description: 'A registration that waits for the link in its mail to be used.',
      fields: t => ({
        status: t.string({
          description: 'Always `pending_verification`.',
          resolve: () => 'pending_verification',
        }),
        email: t.exposeString('email'),
        fullName: t.string({
          nullable: true,
          description: 'Shown to administration alone.',
          resolve: view => ('full_name' in view ? view.full_name : null),
        }),
        createdAt: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'Shown to administration alone.',
          resolve: view => ('created_at' in view ? view.created_at : null),
        }),
        expiresAt: t.expose('expires_at', { type: 'DateTime' }),
      }),
    });

  const MfaChallenge = builder.objectRef<MfaChallengeView | OAuthMfaView>('MfaChallenge').implement({
    description: 'The password was right and the second step is due: a code was sent to the phone.',
    fields: t => ({
      status: t.exposeString('status', { description: 'Always `mfa_required`.' }),
      mfaPendingToken: t.exposeString('mfa_pending_token'),
      expiresIn: t.exposeInt('expires_in', { description: 'Lifetime of the pending token in seconds.' }),
      delivery: t.exposeString('delivery', { description: 'How the code was sent: `sms`.' }),
      redirectTo: t.string({
        nullable: true,
        description: 'After external sign-in: where to go.',
        resolve: view => ('redirect_to' in view ? view.redirect_to : null),
      }),
      wasNewAccount: t.boolean({
        nullable: true,
        description: 'After external sign-in: whether the account was made by it.',
        resolve: view => ('was_new_account' in view ? view.was_new_account : null),
      }),
    }),
  });

  return { User, Message, Session, MfaChallenge, PendingRegistration };
}
