import type { Reauthenticate } from '../services/reauthenticate.ts';
import { type Route, route } from './route.ts';

export const reauthenticateRoutes = (service: Reauthenticate): Route[] => [
  route('POST', '/reauthenticate', service.reauthenticate),
];
