import type { DataEncryption } from '../crypto/data-key.ts';
import type { OutboxMessage } from '../tables/outbox-message.ts';

/** The payload of a job. It is stored as encrypted JSON, so the names of its fields may not change. */
export interface Payload {
  /** The name of its handler: the kind of a message, or the name of a task. */
  by: string;
  content: unknown;
  /** How long the content is valid after it was stored, in milliseconds: the lifetime of its link. Absent if it never ends. */
  lifetimeMs?: number | undefined;
  /** Whether the job is tried for as long as it is kept, and not for a day only. */
  isLasting?: true | undefined;
}

/** The row to which the encryption binds a payload. Copied to another row or kind, it does not decrypt. */
const boundTo = ({ id, kind }: Pick<OutboxMessage, 'id' | 'kind'>) => ['outbox', id, kind];

/** Encrypts payloads (CONTRACT §12.1): a copy of the database contains no link, code or address. */
export const createPayloadCipher = (encryption: DataEncryption) => ({
  encrypt: (row: Pick<OutboxMessage, 'id' | 'kind'>, payload: Payload): string =>
    encryption.encrypt(JSON.stringify(payload), boundTo(row)),

  /** Returns the payload of a row. @throws {UnreadableSecret} when no configured key decrypts it */
  decrypt: (row: Pick<OutboxMessage, 'id' | 'kind' | 'payload'>): Payload =>
    JSON.parse(encryption.decrypt(row.payload, boundTo(row)).text) as Payload,
});
