import { administrationTable } from './generated/administration.ts';
import type { ClientModule } from './modules.ts';

/**
 * The operations of administration, a part of the client of its own.
 * @example const client = createClient({ url: '/api/auth', with: [administration] });
 */
export const administration: ClientModule<'administration'> = {
  name: 'administration',
  operations: administrationTable,
};
