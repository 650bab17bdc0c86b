import type { Repositories } from '../../storage/repositories/index.ts';
import type { AuditRecordView } from './views.ts';

/** Returns records with the addresses that their accounts have now; no address is stored with a record. */
export async function addAddresses(
  { users }: Pick<Repositories, 'users'>,
  records: readonly AuditRecordView[],
): Promise<AuditRecordView[]> {
  const ids = new Set(records.flatMap(({ actor, subject }) => [actor, subject]).filter(id => id !== null));
  const found = await users.findByIds([...ids]);
  const emails = new Map<string | null, string>(found.map(({ id, email }) => [id, email]));
  return records.map(record => {
    const [actor_email, subject_email] = [emails.get(record.actor), emails.get(record.subject)];
    return {
      ...record,
      ...(actor_email !== undefined && { actor_email }),
      ...(subject_email !== undefined && { subject_email }),
    };
  });
}
