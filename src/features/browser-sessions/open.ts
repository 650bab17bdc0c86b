import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createBrowserCookie } from '../../http/browser-cookie.ts';
import { createBrowserSession } from './operations.ts';
import { createBrowserSessions } from './sessions.ts';

/** Opens the operations that set the cookie, and what the guards of a host read. */
export function open(parts: FeatureParts) {
  const cookie = createBrowserCookie(parts.config);
  return {
    operations: createBrowserSession(parts),
    browser: { sessions: createBrowserSessions(parts.config, cookie), setCookie: cookie.write },
  } satisfies OpenFeature;
}
