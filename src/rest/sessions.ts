import type { SessionsService } from '../services/sessions.ts';
import { type Route, route } from './route.ts';

export const sessionsRoutes = (sessions: SessionsService): Route[] => [
  route('GET', '/sessions', sessions.list),
  route('DELETE', '/sessions/:id', sessions.end),
  route('DELETE', '/sessions', sessions.endOthers),
];
