import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { JobStore } from '../../src/outgoing/job-store.ts';
import type { OutboxRows } from '../../src/storage/repositories/outbox.ts';
import { recordingLogger } from '../mail/support.ts';
import { dataEncryptionKey } from './app.ts';

/** A process over stored jobs: its store, and the poll that the test makes. */
export function openProcess(rows: OutboxRows, { logger = recordingLogger(), polls = true } = {}) {
  const timers: { ms: number; run: () => void }[] = [];
  const store = new JobStore({
    ...{ rows, encryption: createDataEncryption(dataEncryptionKey), logger, polls },
    schedule: (ms, run) => {
      timers.push({ ms, run });
      return () => {};
    },
  });
  return { store, logger, timers, poll: () => timers.splice(0).forEach(({ run }) => void run()) };
}
