import { z } from 'zod';

const parameter = () => z.unknown().optional();

/** The form of an introspection (RFC 7662 §2.1) and of a revocation (RFC 7009 §2.1). */
export const TokenForm = z.looseObject({
  token: parameter().describe('The token.'),
  token_type_hint: parameter().describe('Ignored.'),
  client_id: parameter().describe('Who asks.'),
  client_secret: parameter().describe('The secret of the resource, where it is not in `Authorization`.'),
});
