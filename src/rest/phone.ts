import type { Phone } from '../services/phone.ts';
import { type Route, route } from './route.ts';

export const phoneRoutes = (phone: Phone): Route[] => [
  route('POST', '/phone/start', phone.startPhoneSetup, { status: 202 }),
  route('POST', '/phone/confirm', phone.confirmPhoneSetup),
  route('DELETE', '/phone', phone.disablePhone),
];
