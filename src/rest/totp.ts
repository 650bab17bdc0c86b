import type { TotpService } from '../services/totp.ts';
import { type Route, route } from './route.ts';

export const totpRoutes = (totp: TotpService): Route[] => [
  route('POST', '/totp/start', totp.startTotpSetup),
  route('POST', '/totp/confirm', totp.confirmTotpSetup),
];
