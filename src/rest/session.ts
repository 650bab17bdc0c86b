import type { SessionService } from '../services/session.ts';
import { type Route, route } from './route.ts';

export const sessionRoutes = (session: SessionService): Route[] => [route('POST', '/logout', session.logout)];
