import type { Registration } from '../services/registration.ts';
import { type Route, route } from './route.ts';

export const registrationRoutes = (registration: Registration): Route[] => [
  route('POST', '/register', registration.register, { status: 201 }),
  route('POST', '/verify', registration.verify),
  route('POST', '/resend-verification', registration.resendVerification, { status: 202 }),
];
