import type { EmailChange } from '../services/email-change.ts';
import { type Route, route } from './route.ts';

export const emailChangeRoutes = (emailChange: EmailChange): Route[] => [
  route('POST', '/change-email', emailChange.changeEmail, { status: 202 }),
  route('POST', '/confirm-email-change', emailChange.confirmEmailChange),
];
