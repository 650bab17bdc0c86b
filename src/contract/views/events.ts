import { z } from 'zod';

/** The acts whose emails have a link "this was not me" (CONTRACT §12.4). */
export const disownable = z.enum(['sign_in', 'authenticator', 'phone', 'identity', 'api_key', 'email']);
