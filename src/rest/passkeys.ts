import type { PasskeysService } from '../services/passkeys.ts';
import { type Route, route } from './route.ts';

export const passkeysRoutes = (passkeys: PasskeysService): Route[] => [
  route('POST', '/passkeys/start', passkeys.startPasskeySetup),
  route('POST', '/passkeys/confirm', passkeys.confirmPasskeySetup),
  route('POST', '/login/passkey/start', passkeys.startPasskeyLogin),
  route('POST', '/login/passkey', passkeys.loginWithPasskey),
];
