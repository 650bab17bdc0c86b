import { createHmac, createSecretKey } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** How a call ended: as asked, refused for a reason that was foreseen, or failed on our side. */
export type Outcome = 'ok' | 'refused' | 'failed';

/** One security-relevant act. It holds no secret and no whole address, so it may be kept where logs are kept. */
export interface AuditRecord {
  /** When it ended, in UTC. */
  at: string;
  /** Which operation: `login`, `adminDeleteUser`. */
  act: string;
  outcome: Outcome;
  /** Why it was refused (an error code), or what is still due (`mfa_required`, `pending_verification`). */
  reason: string | null;
  by: 'self' | 'admin' | 'cli';
  /** Id of the user whose session it was; null for whoever needs none, and on the command line. */
  actor: string | null;
  /** Id of the user whom it was done to, as far as there is one. */
  subject: string | null;
  /** A keyed hash of the address that was given, so that the same address can be found again; null when none was. */
  address_hash: string | null;
  /** Address of the client on the network; null on the command line. */
  ip: string | null;
  /** The id under which the request stands in the log. */
  request_id: string | null;
}

export type Audit = ReturnType<typeof createAudit>;

interface AuditParts {
  clock: Clock;
  logger: Logger;
  /** The signing secret; a key of its own is derived from it. */
  secret: string;
  emit: (record: AuditRecord) => void;
}

/** How much of the hash is kept, in hex digits: enough to tell addresses apart, and too little to be of other use. */
const hashLength = 16;

/** The trail of security-relevant acts: each is a record of the log and an `audit` event. */
export function createAudit({ clock, logger, secret, emit }: AuditParts) {
  const key = createSecretKey(createHmac('sha256', secret).update('gatehouse:audit').digest());
  const hashOf = (address: string) =>
    createHmac('sha256', key).update(address).digest('hex').slice(0, hashLength);

  return (record: Omit<AuditRecord, 'at' | 'address_hash'> & { email: string | null }): void => {
    const { email, ...fields } = record;
    const address_hash = email === null ? null : hashOf(email);
    logger.info({ ...fields, address_hash }, 'audit');
    emit({ at: clock.now().toISOString(), ...fields, address_hash });
  };
}
