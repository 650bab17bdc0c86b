import { createClient } from 'gatehouse-auth/client';
import { go } from './router.ts';

/** Every operation of the API. It keeps the session of this browser. */
export const client = createClient({
  url: '/api/auth',
  door: 'graphql',
  onSessionEnded: () => go('/login', 'Your session has ended. Sign in again.'),
});
