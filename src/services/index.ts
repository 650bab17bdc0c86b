import type { Provider } from '../oauth/provider.ts';
import { createAccount } from './account.ts';
import { createAdmin } from './admin.ts';
import { createTextedCodes } from './codes.ts';
import type { Dependencies } from './dependencies.ts';
import { createEmailChange } from './email-change.ts';
import { createFeatures } from './features.ts';
import { createLogin } from './login.ts';
import { createOAuth } from './oauth.ts';
import { createOAuthIdentities } from './oauth-identities.ts';
import { createPassword, createPasswordReset } from './password.ts';
import { createPhone } from './phone.ts';
import { createProfile } from './profile.ts';
import { createRegistration } from './registration.ts';
import { createSecondStep } from './second-step.ts';
import { createSession } from './session.ts';

export type Services = ReturnType<typeof createServices>;

/** Every service that the configuration switches on; a service that is off does not exist, so no door can mount it. */
export function createServices(parts: Dependencies, providers: Provider[]) {
  const { config } = parts;
  const texted = config.enableSms2fa ? createTextedCodes(parts) : undefined;
  const phone = texted && createPhone(parts, texted);
  const secondStep = texted && createSecondStep(parts, parts.lockout, texted);
  const names = providers.map(provider => provider.name);
  const createOAuthService = () => ({
    ...createOAuth(parts, providers, secondStep),
    ...createOAuthIdentities(parts, names),
  });
  return {
    features: createFeatures(parts),
    registration: createRegistration(parts),
    login: createLogin(parts, secondStep),
    session: createSession(parts),
    profile: createProfile(parts),
    password: createPassword(parts),
    passwordReset: config.enablePasswordReset ? createPasswordReset(parts) : undefined,
    emailChange: createEmailChange(parts),
    account: config.enableAccountDeletion ? createAccount(parts) : undefined,
    phone,
    oauth: providers.length > 0 ? createOAuthService() : undefined,
    admin: config.enableAdminRouter ? createAdmin(parts, phone) : undefined,
  };
}
