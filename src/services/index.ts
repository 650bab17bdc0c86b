import type { Dependencies } from './dependencies.ts';
import { createFeatures } from './features.ts';
import { createLogin } from './login.ts';
import { createProfile } from './profile.ts';
import { createRegistration } from './registration.ts';
import { createSession } from './session.ts';

export type Services = ReturnType<typeof createServices>;

/** Every service that the configuration switches on; a service that is off does not exist, so no door can mount it. */
export function createServices(parts: Dependencies) {
  return {
    features: createFeatures(parts),
    registration: createRegistration(parts),
    login: createLogin(parts),
    session: createSession(parts),
    profile: createProfile(parts),
  };
}
