import { z } from 'zod';
import type { PendingRegistration } from '../entities/pending-registration.ts';
import type { User } from '../entities/user.ts';

/** A moment in UTC, ISO 8601 to the millisecond. */
const time = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-01-31T12:00:00.000Z'] });
const id = z.string().meta({ examples: ['019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081'] });
const email = z.string().meta({ examples: ['ada@example.org'] });
const count = z.int().min(0);
const seconds = z.int().min(1);

/** The projection of a user that leaves the service (SPEC §2.2). */
export const UserPublic = z
  .object({
    id,
    email,
    full_name: z.string().nullable(),
    phone_number: z.string().nullable(),
    is_active: z.boolean(),
    is_verified: z.boolean(),
    is_superuser: z.boolean(),
    is_mfa_enabled: z.boolean(),
    created_at: time,
    updated_at: time,
    last_login: time.nullable(),
    tokens_invalidated_after: time
      .nullable()
      .describe('Session tokens whose `iat` is not later than this are dead.'),
  })
  .meta({ id: 'UserPublic' });
export type UserPublic = z.infer<typeof UserPublic>;

/** Names what may leave, one by one, so that a new column stays inside until somebody decides otherwise. */
export function toUserPublic(user: User): UserPublic {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    phone_number: user.phoneNumber,
    is_active: user.isActive,
    is_verified: user.isVerified,
    is_superuser: user.isSuperuser,
    is_mfa_enabled: user.isMfaEnabled,
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    last_login: user.lastLogin?.toISOString() ?? null,
    tokens_invalidated_after: user.tokensInvalidatedAfter?.toISOString() ?? null,
  };
}

/** A registration that waits for its link to be used. */
export const PendingView = z
  .object({ status: z.literal('pending_verification'), email, expires_at: time })
  .meta({ id: 'PendingVerification' });
export type PendingView = z.infer<typeof PendingView>;

/** A finished login (RFC 6750); `expires_in` in seconds. */
export const SessionView = z
  .object({ access_token: z.string(), token_type: z.literal('bearer'), expires_in: seconds })
  .meta({ id: 'Session' });
export type SessionView = z.infer<typeof SessionView>;

/** A login whose second step is due; the token is good for that step alone. `expires_in` in seconds. */
export const MfaChallengeView = z
  .object({
    status: z.literal('mfa_required'),
    mfa_pending_token: z.string(),
    expires_in: seconds,
    delivery: z.literal('sms'),
  })
  .meta({ id: 'MfaChallenge' });
export type MfaChallengeView = z.infer<typeof MfaChallengeView>;

/** A phone set-up whose code was sent; `expires_in` in seconds. */
export const PhoneSetupView = z
  .object({ status: z.literal('code_sent'), pending_token: z.string(), expires_in: seconds })
  .meta({ id: 'PhoneSetup' });
export type PhoneSetupView = z.infer<typeof PhoneSetupView>;

/** Where the browser goes to sign in at the provider. */
export const OAuthStartView = z.object({ authorization_url: z.url() }).meta({ id: 'OAuthStart' });
export type OAuthStartView = z.infer<typeof OAuthStartView>;

/** Where the browser goes next; this door's answer is the redirect itself. */
export const OAuthRedirect = z.object({ location: z.url() }).meta({ id: 'OAuthRedirect' });
export type OAuthRedirect = z.infer<typeof OAuthRedirect>;

const finishedFlow = { redirect_to: z.string(), was_new_account: z.boolean() };

/** A finished external sign-in. */
export const OAuthSessionView = SessionView.extend(finishedFlow).meta({ id: 'OAuthSession' });
export type OAuthSessionView = z.infer<typeof OAuthSessionView>;

/** An external sign-in whose second step is due. */
export const OAuthMfaView = MfaChallengeView.extend(finishedFlow).meta({ id: 'OAuthMfaChallenge' });
export type OAuthMfaView = z.infer<typeof OAuthMfaView>;

export const OAuthProvidersView = z
  .object({
    available: z.array(z.string()),
    linked: z.array(
      z.object({
        provider: z.string(),
        email: email.nullable(),
        linked_at: time,
        last_used_at: time.nullable(),
      }),
    ),
  })
  .meta({ id: 'OAuthProviders' });
export type OAuthProvidersView = z.infer<typeof OAuthProvidersView>;

/** A sentence for people where there is nothing else to say. */
export const MessageView = z
  .object({ message: z.string().meta({ examples: ['Signed out.'] }) })
  .meta({ id: 'Message' });
export type MessageView = z.infer<typeof MessageView>;

/** Which features are on, so that an app can draw its forms. */
export const FeaturesView = z.object({
  app_name: z.string(),
  registration: z.boolean(),
  verification_required: z.boolean(),
  password_reset: z.boolean(),
  account_deletion: z.boolean(),
  sms_2fa: z.boolean(),
  oauth: z.boolean(),
  admin: z.boolean(),
});
export type FeaturesView = z.infer<typeof FeaturesView>;

/** A pending registration as administration sees it. */
export const PendingRegistrationView = z
  .object({ email, full_name: z.string().nullable(), created_at: time, expires_at: time })
  .meta({ id: 'PendingRegistration' });
export type PendingRegistrationView = z.infer<typeof PendingRegistrationView>;

export function toPendingRegistrationView(row: PendingRegistration): PendingRegistrationView {
  return {
    email: row.email,
    full_name: row.fullName,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}

const total = count.describe(
  'How many match, on every page together. Beyond 10,000 it may be ten seconds old; a search counts to 10,000.',
);

/** One page of a list. */
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total, skip: count, limit: count });

export const UserPage = pageOf(UserPublic).meta({ id: 'UserPage' });
export type UserPage = z.infer<typeof UserPage>;
export const PendingPage = pageOf(PendingRegistrationView).meta({ id: 'PendingPage' });
export type PendingPage = z.infer<typeof PendingPage>;

export const StatsView = z
  .object({
    total_users: count,
    active_users: count,
    verified_users: count,
    superusers: count,
    pending_registrations: count,
  })
  .meta({ id: 'Stats' });
export type StatsView = z.infer<typeof StatsView>;
