import type { BrowserSession } from '../services/browser-session.ts';
import { type Route, route } from './route.ts';

export const browserSessionRoutes = ({ create, end }: BrowserSession): Route[] => [
  route('POST', '/browser-session', create, { status: 204 }),
  route('DELETE', '/browser-session', end, { status: 204 }),
];
