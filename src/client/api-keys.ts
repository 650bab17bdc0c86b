import { apiKeysTable } from './generated/api-keys.ts';
import type { ClientModule } from './modules.ts';

/**
 * API keys of the own account, a part of the client of its own.
 * @example
 * const client = createClient({ url: '/api/auth', with: [apiKeys] });
 * const { key } = await client.createApiKey({ name: 'Nightly report', scopes: ['profile'] });
 */
export const apiKeys: ClientModule<'apiKeys'> = { name: 'apiKeys', operations: apiKeysTable };
