import type { User } from '../entities/user.ts';

/** The projection of a user that leaves the service (SPEC §2.2); times are ISO 8601 in UTC, to the millisecond. */
export interface UserPublic {
  id: string;
  email: string;
  full_name: string | null;
  phone_number: string | null;
  is_active: boolean;
  is_verified: boolean;
  is_superuser: boolean;
  is_mfa_enabled: boolean;
  created_at: string;
  updated_at: string;
  last_login: string | null;
  /** Session tokens whose `iat` is not later than this are dead. */
  tokens_invalidated_after: string | null;
}

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
export interface PendingView {
  status: 'pending_verification';
  email: string;
  expires_at: string;
}

/** A finished login (RFC 6750); `expires_in` in seconds. */
export interface SessionView {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
}

/** A login whose second step is due; the token is good for that step alone. `expires_in` in seconds. */
export interface MfaChallengeView {
  status: 'mfa_required';
  mfa_pending_token: string;
  expires_in: number;
  delivery: 'sms';
}

/** A sentence for people where there is nothing else to say. */
export interface MessageView {
  message: string;
}

/** Which features are on, so that an app can draw its forms. */
export interface FeaturesView {
  app_name: string;
  registration: boolean;
  verification_required: boolean;
  password_reset: boolean;
  account_deletion: boolean;
  sms_2fa: boolean;
  oauth: boolean;
  admin: boolean;
}
