import { z } from 'zod';
import type { Authenticator } from '../../tables/authenticator.ts';
import { count, id, isDistrusted, time } from './fields.ts';
import { SessionView } from './sign-in.ts';

const authenticatorFields = {
  id: id.describe('Identifies the authenticator.'),
  kind: z.enum(['totp', 'passkey']).meta({
    id: 'AuthenticatorKind',
    description: '`totp` for an authenticator app, or `passkey`.',
    values: { totp: 'An authenticator app (RFC 6238).', passkey: 'A passkey (WebAuthn).' },
  }),
  name: z.string().describe('As its owner named it.'),
  created_at: time.describe('When it was added.'),
  last_used_at: time.nullable().describe('When it was last used to sign in; null before the first time.'),
  is_synced: z
    .boolean()
    .optional()
    .describe('Passkeys: whether it is synchronised between the devices of its owner.'),
  is_distrusted: isDistrusted,
};

/** An authenticator app or a passkey, as its owner sees it. */
export const AuthenticatorView = z
  .object(authenticatorFields)
  .meta({ id: 'Authenticator', description: 'An authenticator app or a passkey of the account.' });
export type AuthenticatorView = z.infer<typeof AuthenticatorView>;

export function toAuthenticatorView(row: Authenticator): AuthenticatorView {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    ...(row.kind === 'passkey' && { is_synced: row.isSynced }),
  };
}

export const AuthenticatorsView = z
  .object({
    items: z.array(AuthenticatorView).describe('Oldest first.'),
    recovery_codes_left: count.describe('How many recovery codes can still be used.'),
    has_password: z.boolean().optional().describe('False where the account has no password; else absent.'),
    phone_needs_confirmation: z
      .boolean()
      .optional()
      .describe(
        'True where the phone number of the account is no second step until its owner has set it up again; else absent.',
      ),
  })
  .meta({ id: 'Authenticators', description: 'The authenticators of the account.' });
export type AuthenticatorsView = z.infer<typeof AuthenticatorsView>;

const recoveryCodes = z
  .array(z.string())
  .describe('Each replaces the second step once. They are shown only now.');

/** The end of a set-up. */
export const AuthenticatorAddedView = z
  .object({
    authenticator: AuthenticatorView,
    recovery_codes: recoveryCodes.optional(),
    session: SessionView.optional().describe(
      'To go on with, where the session of the caller was made without a second factor, or has ended with the others.',
    ),
  })
  .meta({ id: 'AuthenticatorAdded', description: 'An authenticator that was added.' });
export type AuthenticatorAddedView = z.infer<typeof AuthenticatorAddedView>;

export const RecoveryCodesView = z
  .object({ recovery_codes: recoveryCodes })
  .meta({ id: 'RecoveryCodes', description: 'New recovery codes; the former ones are void.' });
export type RecoveryCodesView = z.infer<typeof RecoveryCodesView>;
