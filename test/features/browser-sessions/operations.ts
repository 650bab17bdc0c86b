import { type Calls, signedIn } from '../../doors/site.ts';
import { message, mutation } from '../../support/operations.ts';

export const operations = {
  createBrowserSession: mutation('POST /browser-session', 'createBrowserSession', null, message),
  endBrowserSession: mutation('DELETE /browser-session', 'endBrowserSession', null, message),
};

export const calls: Calls<typeof operations> = {
  createBrowserSession: { good: signedIn(), bad: null },
  endBrowserSession: { good: () => ({}), bad: null },
};

export const forAnyone: (keyof typeof operations)[] = ['endBrowserSession'];
