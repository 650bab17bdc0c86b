import type { AuthenticatorsService } from '../services/authenticators.ts';
import { type Route, route } from './route.ts';

export const authenticatorsRoutes = (authenticators: AuthenticatorsService): Route[] => [
  route('GET', '/authenticators', authenticators.list),
  route('PATCH', '/authenticators/:id', authenticators.rename),
  route('DELETE', '/authenticators/:id', authenticators.remove),
  route('POST', '/recovery-codes', authenticators.replaceRecoveryCodes),
];
