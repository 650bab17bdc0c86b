import type { Services } from '../services/index.ts';
import { accountPath, accountRoutes } from './account.ts';
import { adminRoutes } from './admin.ts';
import { activityRoutes, auditRoutes } from './audit.ts';
import { authenticatorsRoutes } from './authenticators.ts';
import { browserSessionRoutes } from './browser-session.ts';
import { emailChangeRoutes } from './email-change.ts';
import { featuresRoutes } from './features.ts';
import { invitationsRoutes } from './invitations.ts';
import { loginRoutes } from './login.ts';
import { notMeRoutes } from './not-me.ts';
import { oauthRoutes } from './oauth.ts';
import { outboxRoutes } from './outbox.ts';
import { passkeysRoutes } from './passkeys.ts';
import { passwordResetRoutes, passwordRoutes } from './password.ts';
import { phoneRoutes } from './phone.ts';
import { profileRoutes } from './profile.ts';
import { reauthenticateRoutes } from './reauthenticate.ts';
import { registrationRoutes } from './registration.ts';
import type { Route } from './route.ts';
import { secondStepRoutes } from './second-step.ts';
import { sessionRoutes } from './session.ts';
import { sessionsRoutes } from './sessions.ts';
import { totpRoutes } from './totp.ts';
import { webhooksRoutes } from './webhooks.ts';

/** Returns every route of the services that exist; the router mounts them, and the OpenAPI document lists them. */
export const routesOf = (services: Services): Route[] => [
  ...featuresRoutes(services.features),
  ...registrationRoutes(services.registration),
  ...loginRoutes(services.login),
  ...sessionRoutes(services.session),
  ...profileRoutes(services.profile),
  ...passwordRoutes(services.password),
  ...(services.passwordReset ? passwordResetRoutes(services.passwordReset) : []),
  ...invitationsRoutes(services.invitations),
  ...emailChangeRoutes(services.emailChange),
  ...(services.account ? accountRoutes(services.account) : []),
  ...(services.secondStep ? secondStepRoutes(services.secondStep) : []),
  ...(services.totp ? totpRoutes(services.totp) : []),
  ...(services.passkeys ? passkeysRoutes(services.passkeys) : []),
  ...(services.authenticators ? authenticatorsRoutes(services.authenticators) : []),
  ...reauthenticateRoutes(services.reauthenticate),
  ...(services.sessions ? sessionsRoutes(services.sessions) : []),
  ...(services.activity ? activityRoutes(services.activity) : []),
  ...(services.notMe ? notMeRoutes(services.notMe) : []),
  ...(services.browserSession ? browserSessionRoutes(services.browserSession) : []),
  ...(services.phone ? phoneRoutes(services.phone) : []),
  ...(services.oauth ? oauthRoutes(services.oauth) : []),
  ...(services.admin ? adminRoutes(services.admin) : []),
  ...(services.outbox ? outboxRoutes(services.outbox) : []),
  ...(services.audit ? auditRoutes(services.audit) : []),
  ...(services.webhooks ? webhooksRoutes(services.webhooks) : []),
];

/** Returns the paths of disabled features: `DELETE /account` responds with 404 itself while deletion is off (SPEC §4.1). */
export const absentPaths = (services: Services): string[] => (services.account ? [] : [accountPath]);
