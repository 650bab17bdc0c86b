import type { Account } from '../services/account.ts';
import { type Route, route } from './route.ts';

export const accountPath = '/account';

export const accountRoutes = (account: Account): Route[] => [
  route('DELETE', accountPath, account.deleteAccount),
];
