import type { SecondStepService } from '../services/second-step.ts';
import { type Route, route } from './route.ts';

export const secondStepRoutes = ({
  confirmLoginMfa,
  sendMfaCode,
  startMfaPasskey,
}: SecondStepService): Route[] => [
  route('POST', '/login/mfa-confirm', confirmLoginMfa),
  ...(sendMfaCode ? [route('POST', '/login/mfa-send', sendMfaCode, { status: 202 })] : []),
  ...(startMfaPasskey ? [route('POST', '/login/mfa-passkey/start', startMfaPasskey)] : []),
];
