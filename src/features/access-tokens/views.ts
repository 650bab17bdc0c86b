import { z } from 'zod';
import { signingAlgorithms } from '../../config/schema/resources.ts';
import { count, time } from '../../contract/views/fields.ts';
import { keyStates } from './table.ts';

export const AccessTokenView = z
  .object({
    access_token: z.string().describe('For the API alone that was named: it is no session.'),
    token_type: z.literal('Bearer').describe('How it is sent (RFC 6750).'),
    expires_in: count.describe('Its lifetime in seconds.'),
    scope: z.string().describe('Its scopes, separated by spaces.'),
  })
  .meta({ id: 'AccessToken', description: 'A token that another service checks.' });
export type AccessTokenView = z.infer<typeof AccessTokenView>;

/** How schemas and documents describe an algorithm. */
export const signingAlgorithm = {
  id: 'SigningAlgorithm',
  description: '`ES256`, `RS256` or `EdDSA`.',
  values: {
    ES256: 'ECDSA with P-256 and SHA-256 (RFC 7518).',
    RS256: 'RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518).',
    EdDSA: 'Ed25519 (RFC 8037).',
  },
};

const SigningKeyView = z
  .object({
    kid: z.string().describe('Its id, which tokens name: the thumbprint of RFC 7638.'),
    algorithm: z.enum(signingAlgorithms).meta(signingAlgorithm),
    state: z.enum(keyStates).meta({
      id: 'SigningKeyState',
      description: '`current` signs, `next` is published and will sign, `retired` has signed.',
      values: {
        current: 'It signs.',
        next: 'It is published, and will sign.',
        retired: 'It has signed, and is published until its tokens have ended.',
      },
    }),
    since: time.describe('Since when it has this state.'),
    until: time.nullable().describe('When the state is planned to end; null where nothing is planned.'),
  })
  .meta({ id: 'SigningKey', description: 'A key that signs access tokens.' });

export const SigningKeyList = z
  .object({ items: z.array(SigningKeyView).describe('By algorithm, then `current`, `next` and `retired`.') })
  .meta({ id: 'SigningKeys', description: 'The keys that sign access tokens.' });
export type SigningKeyList = z.infer<typeof SigningKeyList>;
