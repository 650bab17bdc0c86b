// The operations of API keys, which the account page loads where they are on; scripts/pages-scripts.ts makes it of these sources.
export { apiKeys } from '../src/client/api-keys.ts';
