import { account } from './pages/account.ts';
import { forgot, login, mfa, register } from './pages/entrance.ts';
import { oauthComplete } from './pages/external.ts';
import { confirmEmailChange, resetPassword, verify } from './pages/links.ts';
import { start } from './router.ts';

start({
  '/': account,
  '/login': login,
  '/mfa': mfa,
  '/register': register,
  '/forgot': forgot,
  '/verify': verify,
  '/reset-password': resetPassword,
  '/confirm-email-change': confirmEmailChange,
  '/oauth-complete': oauthComplete,
});
