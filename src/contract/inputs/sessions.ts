import { z } from 'zod';
import { issuedId } from './authenticators.ts';

const id = issuedId.meta({ scalar: 'ID', description: 'The id of the session.' });

export const SessionIdInput = z.strictObject({ id });

/** Without `session_id`, every session of the account. */
export const AdminEndSessionInput = z.strictObject({
  id: issuedId.meta({ scalar: 'ID', description: 'The id of the account.' }),
  session_id: id.nullish(),
});
