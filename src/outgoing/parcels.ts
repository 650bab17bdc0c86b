import type { DataEncryption } from '../crypto/data-key.ts';
import type { OutboxMessage } from '../entities/outbox-message.ts';

/** What the encrypted part of a row contains. */
export interface Parcel {
  /** What handles it: the kind of the message, or the name of the work that makes it. */
  by: string;
  content: unknown;
  /** How long it is of use after it was stored, in milliseconds: the lifetime of its link. Absent if it always is. */
  lifetimeMs?: number | undefined;
  /** Whether it waits for as long as it is kept, and not for a day. */
  isLasting?: true | undefined;
}

/** What a parcel is bound to: copied to another row, or to another kind of message, it does not decrypt. */
const boundTo = ({ id, kind }: Pick<OutboxMessage, 'id' | 'kind'>) => ['outbox', id, kind];

/** Encrypts the messages of rows (CONTRACT §12.1): a copy of the database contains no link, code or address. */
export const createParcels = (encryption: DataEncryption) => ({
  seal: (row: Pick<OutboxMessage, 'id' | 'kind'>, parcel: Parcel): string =>
    encryption.encrypt(JSON.stringify(parcel), boundTo(row)),

  /** Returns the content of a row. @throws {UnreadableSecret} when no configured key opens it */
  open: (row: Pick<OutboxMessage, 'id' | 'kind' | 'payload'>): Parcel =>
    JSON.parse(encryption.decrypt(row.payload, boundTo(row)).text) as Parcel,
});
