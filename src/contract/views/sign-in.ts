import { z } from 'zod';
import { email, seconds, time } from './fields.ts';

/** A pending registration. */
export const PendingView = z
  .object({
    status: z.literal('pending_verification').meta({
      graphql: 'RegistrationStatus',
      description: 'Always `pending_verification`.',
      values: { pending_verification: 'It waits for the link in its email to be used.' },
    }),
    email: email.describe('The address that waits for its verification.'),
    expires_at: time.describe('When the link in the email stops working.'),
  })
  .meta({
    id: 'PendingVerification',
    graphql: 'PendingRegistration',
    description: 'A registration that waits for the link in its email to be used.',
  });
export type PendingView = z.infer<typeof PendingView>;

/** A finished sign-in with a bearer token (RFC 6750); `expires_in` in seconds. */
export const SessionView = z
  .object({
    access_token: z.string().describe('The session token, to be sent as `Authorization: Bearer <token>`.'),
    token_type: z.literal('bearer').describe('Always `bearer`.'),
    expires_in: seconds.describe('Lifetime of the session in seconds.'),
  })
  .meta({ id: 'Session', description: 'A finished sign-in.' });
export type SessionView = z.infer<typeof SessionView>;

/** A method of the second step. */
const mfaMethod = z.enum(['passkey', 'totp', 'sms', 'recovery_code']).meta({
  id: 'MfaMethod',
  description: 'A method of the second step.',
  values: {
    passkey: 'A passkey (WebAuthn).',
    totp: 'A code of an authenticator app (RFC 6238).',
    sms: 'A code by text message.',
    recovery_code: 'A recovery code.',
  },
});
export type MfaMethod = z.infer<typeof mfaMethod>;

/** A sign-in whose second step is still required; the token is valid only for that step. `expires_in` in seconds. */
export const MfaChallengeView = z
  .object({
    status: z.literal('mfa_required').meta({
      graphql: 'MfaChallengeStatus',
      description: 'Always `mfa_required`.',
      values: { mfa_required: 'The second step is due.' },
    }),
    mfa_pending_token: z.string().describe('Authorises the second step, and nothing else.'),
    expires_in: seconds.describe('Lifetime of the pending token in seconds.'),
    delivery: z.enum(['sms', 'none']).meta({
      id: 'MfaDelivery',
      description: 'How a code was sent: `sms`, or `none` where none was sent.',
      values: { sms: 'By text message.', none: 'No code was sent.' },
    }),
    methods: z
      .array(mfaMethod)
      .describe(
        'How the second step can be taken, strongest first: `passkey`, `totp`, `sms`, `recovery_code`.',
      ),
  })
  .meta({
    id: 'MfaChallenge',
    description: 'The first step succeeded and the second one is due.',
  });
export type MfaChallengeView = z.infer<typeof MfaChallengeView>;

/** A phone set-up whose code was sent; `expires_in` in seconds. */
export const PhoneSetupView = z
  .object({
    status: z.literal('code_sent').meta({
      graphql: 'PhoneSetupStatus',
      description: 'Always `code_sent`.',
      values: { code_sent: 'The code is on its way.' },
    }),
    pending_token: z.string().describe('Authorises the confirmation of this phone, and nothing else.'),
    expires_in: seconds.describe('Lifetime of the pending token in seconds.'),
  })
  .meta({ id: 'PhoneSetup', description: 'A phone set-up whose code was sent.' });
export type PhoneSetupView = z.infer<typeof PhoneSetupView>;
