import { randomUUID } from 'node:crypto';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { createPayloadCipher } from '../../src/outgoing/payload.ts';
import type { OutboxState } from '../../src/tables/outbox-message.ts';
import { type App, dataEncryptionKey } from './app.ts';

/** What an app needs whose messages wait in the database. */
export const storedSettings = { mailStore: 'database', dataEncryptionKey } as const;

const passwordChanged = {
  to: 'ada@example.org',
  name: 'passwordChanged',
  parameters: { to: 'ada@example.org', act: { at: '2040-01-01T00:00:00.000Z', by: 'self', ip: null } },
  slot: null,
};

interface Stored {
  state?: OutboxState;
  lastError?: string;
  key?: string;
}

/** Stores an email that no process has claimed, unless it is being sent. Returns its id. */
export async function addMessage(
  { gatehouse }: Pick<App, 'gatehouse'>,
  { state = 'dead', lastError = 'EENVELOPE: refused', key = dataEncryptionKey }: Stored = {},
): Promise<string> {
  const { outbox } = gatehouse.repositories;
  const id = randomUUID();
  const row = { id, kind: 'mail' as const, purpose: 'password-changed', recipient: 'a***@example.org' };
  const payload = createPayloadCipher(createDataEncryption(key)).encrypt(row, {
    by: 'mail',
    content: passwordChanged,
  });
  const lease = 'of a process that died';
  // It is due in an hour, so that the app leaves it to the test.
  await outbox.add({ ...row, payload, lease, dueInMs: 3_600_000, endsInMs: 86_400_000 });
  if (state === 'dead') await outbox.deadLetter({ id, lease }, lastError);
  if (state === 'waiting') await outbox.release({ id, lease }, 3_600_000, lastError);
  return id;
}
