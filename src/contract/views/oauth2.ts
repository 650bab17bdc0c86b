import { z } from 'zod';

const seconds = z.number().describe('In seconds since 1970.');

/** RFC 7662 §2.2; the claims that a resource asks for are further members. */
export const IntrospectionView = z
  .looseObject({
    active: z
      .boolean()
      .describe('Whether the token counts for the resource that asks; nothing else is said if not.'),
    token_type: z.string().optional().describe('`Bearer`, or `api_key`.'),
    scope: z.string().optional().describe('Scopes of the resource that asks, separated by spaces.'),
    client_id: z.string().optional().describe('`session`, `host` or `api_key`: where it comes from.'),
    sub: z.string().optional().describe('The id of the person.'),
    aud: z.string().optional().describe('The identifier of the resource.'),
    iss: z.string().optional().describe('The issuer.'),
    iat: seconds.optional(),
    exp: seconds.optional(),
    jti: z.string().optional().describe('The id of the token.'),
    key_id: z.string().optional().describe('The id of the API key.'),
    auth_time: seconds.optional(),
    acr: z.string().optional().describe('The strength of the sign-in: `aal1`, `aal2` or `phr`.'),
    amr: z.array(z.string()).optional().describe('What was proved at the sign-in (RFC 8176).'),
  })
  .meta({ id: 'Introspection', description: 'What a token means now.' });
export type IntrospectionView = z.infer<typeof IntrospectionView>;

/** RFC 7009 §2.2: nothing is said. */
export const RevocationView = z.object({}).meta({ id: 'Revocation', description: 'Nothing.' });
export type RevocationView = z.infer<typeof RevocationView>;
