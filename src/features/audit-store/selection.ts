import type { Repositories } from '../../storage/repositories/index.ts';
import type { AuditFilters } from './inputs.ts';
import type { AuditSelection } from './rows.ts';

/** The operations by which administrators look at something and change nothing. */
export const looks = [
  ...['user', 'users', 'pendingRegistrations', 'auditRecords', 'outboxMessages', 'webhooks'],
  ...['userSessions', 'userIdentities', 'userAuthenticators', 'userApiKeys', 'signingKeys'],
  'resolveEntities',
];

/** Returns the address, as accounts have it, that a filter names in place of an id; null for an id. */
export const addressIn = (who: string): string | null =>
  who.includes('@') ? who.trim().toLowerCase() : null;

/** Returns which records some filters select. An address stands for the account that has it now; records have ids alone. */
export async function selectionOf(
  { users }: Pick<Repositories, 'users'>,
  { actor, subject, is_look, since, until, ...filters }: AuditFilters,
): Promise<AuditSelection> {
  const idOf = async (who: string) => {
    const email = addressIn(who);
    return (email && (await users.findByEmail(email))?.id) ?? who;
  };
  const given = Object.entries(filters).filter(([, value]) => value != null);
  return {
    ...Object.fromEntries(given),
    ...(actor != null && { actor: await idOf(actor) }),
    ...(subject != null && { subject: await idOf(subject) }),
    ...(is_look != null && { looks: { names: looks, isOutside: !is_look } }),
    ...(since != null && { since: new Date(since) }),
    ...(until != null && { until: new Date(until) }),
  };
}
