import type { Login } from '../services/login.ts';
import { type Route, route } from './route.ts';

export const loginRoutes = (login: Login): Route[] => [route('POST', '/login', login.login)];
