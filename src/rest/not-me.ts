import type { NotMe } from '../services/not-me.ts';
import { type Route, route } from './route.ts';

export const notMeRoutes = ({ reportNotMe }: NotMe): Route[] => [route('POST', '/not-me', reportNotMe)];
