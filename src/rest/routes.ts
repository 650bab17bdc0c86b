import type { Services } from '../services/index.ts';
import { accountPath, accountRoutes } from './account.ts';
import { adminRoutes } from './admin.ts';
import { emailChangeRoutes } from './email-change.ts';
import { loginRoutes } from './login.ts';
import { oauthRoutes } from './oauth.ts';
import { passwordResetRoutes, passwordRoutes } from './password.ts';
import { phoneRoutes } from './phone.ts';
import { profileRoutes } from './profile.ts';
import { registrationRoutes } from './registration.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './session.ts';

/** Every route of the services that exist; the router mounts these, and the OpenAPI document lists them. */
export const routesOf = (services: Services): Route[] => [
  ...registrationRoutes(services.registration),
  ...loginRoutes(services.login),
  ...sessionRoutes(services.session),
  ...profileRoutes(services.profile),
  ...passwordRoutes(services.password),
  ...(services.passwordReset ? passwordResetRoutes(services.passwordReset) : []),
  ...emailChangeRoutes(services.emailChange),
  ...(services.account ? accountRoutes(services.account) : []),
  ...(services.phone ? phoneRoutes(services.phone) : []),
  ...(services.oauth ? oauthRoutes(services.oauth) : []),
  ...(services.admin ? adminRoutes(services.admin) : []),
];

/** `DELETE /account` answers 404 itself while deletion is off (SPEC §4.1). */
export const absentPaths = (services: Services): string[] => (services.account ? [] : [accountPath]);
