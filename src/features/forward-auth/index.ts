import { isSecureSite } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { problemsOf, settings } from './settings.ts';

interface Setting {
  enableForwardAuth: boolean;
}

interface Place {
  baseUrl: string;
  trustedProxies: readonly string[];
}

/** A proxy asks who is signed in, for applications that know nothing of it (CONTRACT §16.7). */
export const forwardAuth = defineFeature({
  settings,
  isOn: ({ enableForwardAuth }: Setting) => enableForwardAuth,
  needs: { flag: 'enable_forward_auth', flags: ['enable_browser_sessions'] },
  problems: problemsOf,
  leadsTo: ['login', 'account'],
  development: ({ baseUrl, trustedProxies }: Place) =>
    isSecureSite(baseUrl) && trustedProxies.length > 0 ? { enableForwardAuth: true } : {},
  // An address of documentation: nothing that is made from everything is asked by a proxy.
  sample: { enableForwardAuth: true, trustedProxies: ['192.0.2.1'] },
  load: () => import('./open.ts'),
});
