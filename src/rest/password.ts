import type { PasswordReset, PasswordService } from '../services/password.ts';
import { type Route, route } from './route.ts';

export const passwordRoutes = (password: PasswordService): Route[] => [
  route('POST', '/change-password', password.changePassword),
];

export const passwordResetRoutes = (reset: PasswordReset): Route[] => [
  route('POST', '/forgot-password', reset.forgotPassword, { status: 202 }),
  route('POST', '/reset-password', reset.resetPassword),
];
