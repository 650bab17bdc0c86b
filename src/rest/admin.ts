import type { Admin } from '../services/admin.ts';
import { type Route, route } from './route.ts';

export const adminRoutes = (admin: Admin): Route[] => [
  route('GET', '/admin/stats', admin.stats),
  route('GET', '/admin/users', admin.listUsers),
  route('GET', '/admin/users/:id', admin.readUser),
  route('PATCH', '/admin/users/:id', admin.updateUser),
  route('DELETE', '/admin/users/:id', admin.deleteUser),
  route('POST', '/admin/users/:id/resend-verification', admin.resendVerification, { status: 202 }),
  ...(admin.sendReset
    ? [route('POST', '/admin/users/:id/send-reset', admin.sendReset, { status: 202 })]
    : []),
  route('POST', '/admin/users/:id/unlock', admin.unlock),
  route('POST', '/admin/users/:id/revoke-sessions', admin.revokeSessions),
  ...(admin.disablePhone ? [route('DELETE', '/admin/users/:id/phone', admin.disablePhone)] : []),
  ...(admin.userAuthenticators
    ? [route('GET', '/admin/users/:id/authenticators', admin.userAuthenticators)]
    : []),
  ...(admin.removeAuthenticators
    ? [route('DELETE', '/admin/users/:id/authenticators', admin.removeAuthenticators)]
    : []),
  ...(admin.userSessions ? [route('GET', '/admin/users/:id/sessions', admin.userSessions)] : []),
  ...(admin.endSession
    ? [
        route('DELETE', '/admin/users/:id/sessions', admin.endSession, {
          operationId: 'adminEndEverySession',
        }),
        route('DELETE', '/admin/users/:id/sessions/:session_id', admin.endSession),
      ]
    : []),
  ...(admin.identities
    ? [
        route('GET', '/admin/users/:id/identities', admin.identities.userIdentities),
        route('DELETE', '/admin/users/:id/identities/:provider', admin.identities.unlinkIdentity),
      ]
    : []),
  route('GET', '/admin/pending', admin.listPending),
  route('POST', '/admin/pending/:email/promote', admin.promotePending),
];
