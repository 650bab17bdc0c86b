import { z } from 'zod';
import { featureEvents } from '../feature-events.ts';
import { AnyUser } from './views/account.ts';
import { AuthenticatorView } from './views/authenticators.ts';
import { time } from './views/fields.ts';

const by = z.enum(['self', 'admin', 'cli', 'host']);

/** How a session began; a host that identified the person itself names the method. */
export type SignInMethod = 'password' | 'mfa' | 'oauth' | 'passkey' | (string & {});
const method: z.ZodType<SignInMethod> = z.string();

/** One act that is relevant to security. Contains no secret and no whole address, so it may be kept where logs are kept. */
export const AuditEvent = z.object({
  at: time.describe('When it ended, in UTC.'),
  act: z.string().describe('The operation: `login`, `adminDeleteUser`.'),
  outcome: z
    .enum(['ok', 'refused', 'failed'])
    .describe('Done, refused for a foreseen reason, or failed on the side of the service.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why it was refused (an error code), or what is still required (`mfa_required`, `pending_verification`).',
    ),
  by: z.enum([...by.options, 'system']),
  actor: z
    .string()
    .nullable()
    .describe(
      'The id of the user whose session it was; on the command line the operating-system user; null where no session is needed, and in the server API.',
    ),
  subject: z.string().nullable().describe('The id of the user whom the act concerned, if any.'),
  changes: z
    .array(z.string())
    .nullable()
    .describe(
      'What was changed, or what a refused act would have changed, where the name of the act does not say it: names of fields, for a flag with its new value (`is_active:false`).',
    ),
  count: z
    .int()
    .optional()
    .describe('How many accounts of others were looked at; absent where an act concerns one at most.'),
  address_hash: z
    .string()
    .nullable()
    .describe(
      'A keyed hash of the given email address, so that records of the same address can be found; null when none was given.',
    ),
  ip: z
    .string()
    .nullable()
    .describe("The client's IP address; null on the command line and in the server API."),
  request_id: z.string().nullable().describe('The id of the request in the log.'),
});

const user = AnyUser;
/** A link that was emailed; log the one without its token. */
const link = { url: z.string(), url_without_token: z.string() };
const flow = { provider: z.string(), mode: z.enum(['signin', 'link']) };

/**
 * The events that are delivered outside of the process, too, by webhooks and to durable handlers, each with its one argument
 * as webhooks get it. They are emitted after the change is stored.
 */
export const storedEvents = {
  user_registered: z.object({ user, by }),
  verification_requested: z.object({ email: z.string(), ...link }),
  user_verified: z.object({ user }),
  user_logged_in: z.object({ user, method }),
  user_logged_out: z.object({ user }),
  user_invited: z.object({ user, ...link }),
  invitation_accepted: z.object({ user }),
  password_reset_requested: z.object({ user, ...link }),
  password_reset_completed: z.object({ user }),
  password_changed: z.object({ user }),
  password_blocked: z.object({ user }),
  second_step_failed: z.object({ user }),
  email_change_requested: z.object({ user, new_email: z.string(), ...link }),
  email_changed: z.object({ user, previous_email: z.string(), by }),
  phone_setup_started: z.object({ user, phone: z.string() }),
  mfa_enabled: z.object({ user }),
  mfa_disabled: z.object({ user }),
  mfa_login_started: z.object({ user }),
  authenticator_added: z.object({ user, authenticator: AuthenticatorView }),
  authenticator_removed: z.object({ user, authenticator: AuthenticatorView, by }),
  recovery_code_used: z.object({ user, left: z.int() }),
  oauth_signin_started: z.object({ ...flow, user: user.optional() }),
  oauth_signin_completed: z.object({ user, ...flow, was_new: z.boolean() }),
  oauth_account_linked: z.object({ user, provider: z.string() }),
  oauth_account_unlinked: z.object({ user, provider: z.string() }),
  user_updated: z.object({ user, by }),
  user_deleted: z.object({ user, by }),
  ...featureEvents,
};

/**
 * All events. Those of the audit trail stay in the process: strangers cause them, by every refused request, and could fill
 * the database with them.
 */
export const eventViews = { ...storedEvents, audit: AuditEvent };
