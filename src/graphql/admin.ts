import type { Admin } from '../services/admin.ts';
import { connection, type Field, mutation, query } from './field.ts';

export const adminFields = (admin: Admin): Field[] => [
  query(admin.stats),
  connection(admin.listUsers, 'id'),
  query(admin.readUser),
  connection(admin.listPending, 'email'),
  mutation(admin.updateUser),
  mutation(admin.deleteUser),
  mutation(admin.resendVerification),
  ...(admin.sendReset ? [mutation(admin.sendReset)] : []),
  mutation(admin.unlock),
  mutation(admin.revokeSessions),
  ...(admin.disablePhone ? [mutation(admin.disablePhone)] : []),
  ...(admin.userAuthenticators ? [query(admin.userAuthenticators)] : []),
  ...(admin.removeAuthenticators ? [mutation(admin.removeAuthenticators)] : []),
  ...(admin.userSessions ? [query(admin.userSessions)] : []),
  ...(admin.endSession ? [mutation(admin.endSession)] : []),
  ...(admin.identities
    ? [query(admin.identities.userIdentities), mutation(admin.identities.unlinkIdentity)]
    : []),
  mutation(admin.promotePending),
];
