import { z } from 'zod';
import { anyEmail, displayed, fullName, reservedDomain } from '../../contract/inputs/fields.ts';
import { fieldsOfChange, rolesOfChange } from '../../contract/inputs/own-fields.ts';
import { phoneNumber } from '../../contract/inputs/phone.ts';
import type { OwnData } from '../../contract/own-fields.ts';

/** The schemes whose hashes do not say themselves what they are. */
const scheme = z.enum(['better-auth', 'firebase']);

/** An identity at a provider, by the provider's name in the configuration. */
const ImportedIdentity = z.strictObject({
  provider: z.string().min(1, 'is required'),
  // OpenID Connect Core §2: at most 255 ASCII characters.
  subject: z.string().regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 ASCII characters'),
  // The same name may mean another issuer here, whose subjects are other people.
  issuer: z.string().nullish(),
});

/** The id of an account, where rows of the host refer to it. */
const ownId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters from A to Z, digits, hyphens or underscores');

const pastTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
  .transform(text => new Date(text))
  .refine(time => time.getTime() >= 0, 'must not be before 1970');

/** The most identities of one user: far more than anybody has. */
const mostIdentities = 20;

/** A user to import: one line of the file (CONTRACT §11.2). */
export const importedUserInput = (own: OwnData) =>
  z
    .strictObject({
      id: ownId.nullish(),
      email: anyEmail,
      full_name: fullName,
      is_verified: z.boolean().nullish(),
      is_active: z.boolean().nullish(),
      created_at: pastTime.nullish(),
      phone_number: phoneNumber.nullish(),
      hashed_password: displayed.nullish(),
      /** Ignored without a `hashed_password`, which an export may leave out. */
      password_set_at: pastTime.nullish(),
      scheme: scheme.nullish(),
      salt: z.string().nullish(),
      identities: z
        .array(ImportedIdentity)
        .max(mostIdentities, `has more than ${mostIdentities} identities`)
        .nullish(),
      locale: z
        .string()
        .refine(
          tag => own.locales?.includes(tag) ?? false,
          `must be one of the languages of the configuration: ${(own.locales ?? []).join(', ')}`,
        )
        .nullish(),
      ...fieldsOfChange(own, 'host'),
      ...rolesOfChange(own),
    })
    .refine(({ email, identities }) => identities?.length || !email.endsWith(`@${reservedDomain}`), {
      path: ['email'],
      message: `can be at ${reservedDomain} only with an identity`,
    })
    .refine(({ scheme, hashed_password }) => scheme == null || hashed_password != null, {
      path: ['scheme'],
      message: 'belongs to a hashed_password',
    })
    .refine(({ scheme, salt }) => (scheme === 'firebase') === (salt != null), {
      path: ['salt'],
      message: 'belongs to the scheme firebase, and to no other',
    });

export type ImportedUser = z.infer<ReturnType<typeof importedUserInput>>;

/** Base64 with or without padding; Firebase uses both alphabets (RFC 4648 §4, §5). */
export const base64Bytes = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'must be base64')
  .transform(text => Buffer.from(text, 'base64'));

/** The file of --firebase-parameters. */
export const FirebaseParametersInput = z
  .object({
    signer_key: base64Bytes.refine(key => key.length > 0, 'is empty'),
    salt_separator: base64Bytes,
    rounds: z.int(),
    mem_cost: z.int(),
  })
  .transform(({ signer_key, salt_separator, rounds, mem_cost }) => ({
    signerKey: signer_key,
    saltSeparator: salt_separator,
    rounds,
    memCost: mem_cost,
  }));
