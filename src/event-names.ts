/** The names of the events that are delivered outside of the process, too: by webhooks and to durable handlers. */
export const storedEventNames = [
  'user_registered',
  'verification_requested',
  'user_verified',
  'user_logged_in',
  'user_logged_out',
  'user_invited',
  'invitation_accepted',
  'password_reset_requested',
  'password_reset_completed',
  'password_changed',
  'password_blocked',
  'second_step_failed',
  'new_sign_in',
  'not_me_reported',
  'email_change_requested',
  'email_changed',
  'phone_setup_started',
  'mfa_enabled',
  'mfa_disabled',
  'mfa_login_started',
  'authenticator_added',
  'authenticator_removed',
  'recovery_code_used',
  'oauth_signin_started',
  'oauth_signin_completed',
  'oauth_account_linked',
  'oauth_account_unlinked',
  'user_updated',
  'user_deleted',
] as const;

/** Events that are no longer emitted; a configuration may still name them (`webhooks.NAME.events`). */
export const retiredEventNames = ['account_restored'] as const;

/**
 * The names of all events. Those of the audit trail stay in the process: strangers cause them, by every refused request,
 * and could fill the database with them.
 */
export const eventNames = [...storedEventNames, 'audit'] as const;

export type StoredEventName = (typeof storedEventNames)[number];
export type EventName = (typeof eventNames)[number];
