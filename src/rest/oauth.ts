import type { OAuthService } from '../services/oauth.ts';
import { type Route, route } from './route.ts';

export const oauthRoutes = (oauth: OAuthService): Route[] => [
  route('GET', '/oauth/providers', oauth.listProviders),
  route('POST', '/oauth/exchange', oauth.exchange),
  route('GET', '/oauth/:provider/start', oauth.startSignIn, {
    status: 302,
    unavailablePage: oauth.unavailablePage,
  }),
  route('GET', '/oauth/:provider/callback', oauth.callback, { status: 302 }),
  ...(oauth.receivesForms
    ? [
        route('POST', '/oauth/:provider/callback', oauth.callback, {
          ...{ operationId: 'oauthFormCallback', status: 303, isForm: true },
        }),
      ]
    : []),
  route('POST', '/oauth/:provider/link/start', oauth.startLink, { orQuery: true }),
  route('DELETE', '/oauth/:provider/link', oauth.unlink),
];
