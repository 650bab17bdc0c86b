import type { Profile } from '../services/profile.ts';
import { type Route, route } from './route.ts';

export const profileRoutes = (profile: Profile): Route[] => [
  route('GET', '/me', profile.me),
  route('PATCH', '/me', profile.updateProfile),
];
