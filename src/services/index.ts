import type { DataEncryption } from '../crypto/data-key.ts';
import type { WebAuthn } from '../crypto/webauthn.ts';
import { createTextedCodes } from '../domain/codes.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { createExternalIdentities } from '../domain/external-identities.ts';
import { createPasskeys } from '../domain/passkeys.ts';
import { createSecondStep } from '../domain/second-step.ts';
import { createSignIn } from '../domain/sign-in.ts';
import { createTotp } from '../domain/totp.ts';
import type { Provider } from '../oauth/provider.ts';
import { createAccount } from './account.ts';
import { createActivityService } from './activity.ts';
import { createAdmin } from './admin.ts';
import { createAuditService } from './audit.ts';
import { createAuthenticatorsService } from './authenticators.ts';
import { createBrowserSession } from './browser-session.ts';
import { createEmailChange } from './email-change.ts';
import { createFeatures } from './features.ts';
import { createHost } from './host.ts';
import { createInvitations } from './invitations.ts';
import { createLogin } from './login.ts';
import { createNotMe } from './not-me.ts';
import { createOAuth } from './oauth.ts';
import { createOutboxService } from './outbox.ts';
import { createPasskeysService } from './passkeys.ts';
import { createPassword, createPasswordReset } from './password.ts';
import { createPhone } from './phone.ts';
import { createProfile } from './profile.ts';
import { createReauthenticate } from './reauthenticate.ts';
import { createRegistration } from './registration.ts';
import { createSecondStepService } from './second-step.ts';
import { createSession } from './session.ts';
import { createSessionsService } from './sessions.ts';
import { createTotpService } from './totp.ts';
import { createWebhooksService } from './webhooks.ts';

/** What only some services need, each where its flag is on. */
interface ServiceParts {
  providers: Provider[];
  /** Absent without `data_encryption_key`; the flags that need it require it. */
  encryption: DataEncryption | undefined;
  /** Absent while `enable_passkeys` is off. */
  webauthn: WebAuthn | undefined;
}

export type Services = ReturnType<typeof createServices>;

/**
 * Returns every service that the configuration enables. A disabled service does not exist, so no interface can expose it.
 */
export function createServices(parts: Dependencies, { providers, encryption, webauthn }: ServiceParts) {
  const { config } = parts;
  const keepsRecords = config.auditStore === 'database';
  const texted = config.enableSms2fa ? createTextedCodes(parts) : undefined;
  const phone = texted && createPhone(parts, texted);
  const hasSecondStep = config.enableSms2fa || config.enableTotp || config.enablePasskeys;
  const secondStep = hasSecondStep ? createSecondStep({ ...parts, texted }) : undefined;
  const signIn = createSignIn({ ...parts, secondStep });
  const totp = config.enableTotp ? createTotp({ ...parts, encryption: encryption! }) : undefined;
  const passkeys = config.enablePasskeys ? createPasskeys({ ...parts, webauthn: webauthn! }) : undefined;
  const identities = providers.length > 0 ? createExternalIdentities(parts, providers) : undefined;
  return {
    features: createFeatures(parts),
    registration: createRegistration(parts),
    login: createLogin(parts, signIn),
    session: createSession(parts),
    profile: createProfile(parts),
    password: createPassword(parts),
    passwordReset: config.enablePasswordReset ? createPasswordReset(parts) : undefined,
    invitations: createInvitations(parts),
    emailChange: createEmailChange(parts),
    account: config.enableAccountDeletion ? createAccount(parts) : undefined,
    phone,
    secondStep: secondStep && createSecondStepService(parts, { secondStep, signIn, texted, totp, passkeys }),
    totp: totp && createTotpService(parts, totp),
    passkeys: passkeys && createPasskeysService(parts, passkeys, signIn),
    authenticators: totp || passkeys ? createAuthenticatorsService(parts) : undefined,
    reauthenticate: createReauthenticate(parts, signIn, passkeys),
    sessions: parts.sessionList && createSessionsService(parts, parts.sessionList),
    activity: keepsRecords ? createActivityService(parts) : undefined,
    notMe: config.notifyNewSignIn ? createNotMe(parts, encryption!) : undefined,
    browserSession: config.enableBrowserSessions ? createBrowserSession(parts) : undefined,
    oauth: identities && createOAuth(parts, { providers, identities, signIn }),
    admin: config.enableAdminRouter ? createAdmin(parts, identities) : undefined,
    outbox:
      config.enableAdminRouter && config.mailStore === 'database' ? createOutboxService(parts) : undefined,
    audit: config.enableAdminRouter && keepsRecords ? createAuditService(parts) : undefined,
    webhooks:
      config.enableAdminRouter && parts.webhooks ? createWebhooksService(parts, parts.webhooks) : undefined,
    host: createHost(parts, signIn),
  };
}
