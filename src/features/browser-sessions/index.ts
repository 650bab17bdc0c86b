import { z } from 'zod';
import { isSecureSite } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { problemsOf, settings } from './settings.ts';

interface Flag {
  enableBrowserSessions: boolean;
}

/** The session in a cookie, for pages that the host renders (CONTRACT §15.1). */
export const browserSessions = defineFeature({
  settings,
  isOn: ({ enableBrowserSessions }: Flag) => enableBrowserSessions,
  problems: problemsOf,
  shown: {
    browser_sessions: z
      .boolean()
      .describe('Whether the session is known to pages that the application renders, by a cookie.'),
  },
  leadsTo: ['login', 'account'],
  development: ({ baseUrl }: Flag & { baseUrl: string }) =>
    isSecureSite(baseUrl) ? { enableBrowserSessions: true } : {},
  sample: { enableBrowserSessions: true },
  load: () => import('./open.ts'),
});
