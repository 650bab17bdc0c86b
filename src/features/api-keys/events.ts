import { z } from 'zod';
import { AnyUser as user } from '../../contract/views/account.ts';
import { ApiKeyView } from './views.ts';

const by = z.enum(['self', 'admin', 'cli', 'host']);

export const events = {
  api_key_created: z.object({ user, api_key: ApiKeyView, by }),
  api_key_removed: z.object({ user, api_key: ApiKeyView, by }),
};
