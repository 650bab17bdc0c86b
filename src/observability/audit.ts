import { createHmac, createSecretKey } from 'node:crypto';
import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { AuditEvent } from '../contract/events.ts';
import type { Logger } from '../logger.ts';

/** How a call ended: successfully, refused for a foreseen reason, or failed on the server's side. */
export type Outcome = 'ok' | 'refused' | 'failed';

/** One act that is relevant to security, as the event tells it and the log has it. */
export type AuditRecord = z.infer<typeof AuditEvent>;

export type Audit = ReturnType<typeof createAudit>;

/** Stores a record; `userAgent` is that of the caller. Returns false when it could not be stored, or not in time. */
export type StoreRecord = (record: AuditRecord, userAgent: string | undefined) => Promise<boolean>;

interface AuditParts {
  clock: Clock;
  logger: Logger;
  /** The signing secret, from which a separate key is derived. */
  secret: string;
  emit: (record: AuditRecord) => void;
}

/** A record before it is written, with what else is known of its call. */
export interface Audited {
  record: Omit<AuditRecord, 'at' | 'address_hash'>;
  /** The given email address, of which the record has a hash. */
  email: string | null;
  userAgent: string | undefined;
  /** Whether a command has said so in its output: then it is only stored. */
  isSaid: boolean;
}

/** How many hex digits of the hash are kept: enough to distinguish addresses, and too few to be of other use. */
const hashLength = 16;

/**
 * The audit trail of acts that are relevant to security: each is an `audit` event, and a record in the log, or where a
 * feature stores it. A record that cannot be stored is in the log.
 */
export function createAudit({ clock, logger, secret, emit }: AuditParts) {
  let store: StoreRecord | undefined;
  const key = createSecretKey(createHmac('sha256', secret).update('gatehouse:audit').digest());
  const hashOf = (address: string) =>
    createHmac('sha256', key).update(address).digest('hex').slice(0, hashLength);

  function log(record: Omit<AuditRecord, 'at'>): void {
    if (logger.audit) logger.audit(record, 'audit');
    else logger.info(record, 'audit');
  }

  return {
    /** Has records stored from now on. */
    storeWith(storeRecord: StoreRecord | undefined): void {
      store = storeRecord;
    },

    /** Resolves when the record is written, wherever that is. */
    async write({ record, email, userAgent, isSaid }: Audited): Promise<void> {
      const logged = { ...record, address_hash: email === null ? null : hashOf(email) };
      const event = { at: clock.now().toISOString(), ...logged };
      if (!isSaid) emit(event);
      const isStored = store !== undefined && (await store(event, userAgent));
      if (!isStored && !isSaid) log(logged);
    },
  };
}
