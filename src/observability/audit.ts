import { createHmac, createSecretKey } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** How a call ended: successfully, refused for a foreseen reason, or failed on the server's side. */
export type Outcome = 'ok' | 'refused' | 'failed';

/**
 * One act that is relevant to security. Contains no secret and no whole address, so it may be kept where logs are kept.
 */
export interface AuditRecord {
  /** When it ended, in UTC (ISO 8601). */
  at: string;
  /** The operation: `login`, `adminDeleteUser`. */
  act: string;
  outcome: Outcome;
  /** Why it was refused (an error code), or what is still required (`mfa_required`, `pending_verification`). */
  reason: string | null;
  by: 'self' | 'admin' | 'cli' | 'host';
  /**
   * The id of the user whose session it was; on the command line the operating-system user; null where no session is
   * needed, and in the server API.
   */
  actor: string | null;
  /** The id of the user whom the act concerned, if any. */
  subject: string | null;
  /**
   * What was changed, or what a refused act would have changed, where the name of the act does not say it: names of
   * fields, for a flag with its new value (`is_active:false`).
   */
  changes: string[] | null;
  /**
   * A keyed hash of the given email address, so that records of the same address can be found; null when none was given.
   */
  address_hash: string | null;
  /** The client's IP address; null on the command line and in the server API. */
  ip: string | null;
  /** The id of the request in the log. */
  request_id: string | null;
}

export type Audit = ReturnType<typeof createAudit>;

interface AuditParts {
  clock: Clock;
  logger: Logger;
  /** The signing secret, from which a separate key is derived. */
  secret: string;
  emit: (record: AuditRecord) => void;
}

/** How many hex digits of the hash are kept: enough to distinguish addresses, and too few to be of other use. */
const hashLength = 16;

/** The audit trail of acts that are relevant to security: each is a log record and an `audit` event. */
export function createAudit({ clock, logger, secret, emit }: AuditParts) {
  const key = createSecretKey(createHmac('sha256', secret).update('gatehouse:audit').digest());
  const hashOf = (address: string) =>
    createHmac('sha256', key).update(address).digest('hex').slice(0, hashLength);

  return (record: Omit<AuditRecord, 'at' | 'address_hash'> & { email: string | null }): void => {
    const { email, ...fields } = record;
    const address_hash = email === null ? null : hashOf(email);
    const logged = { ...fields, address_hash };
    if (logger.audit) logger.audit(logged, 'audit');
    else logger.info(logged, 'audit');
    emit({ at: clock.now().toISOString(), ...fields, address_hash });
  };
}
