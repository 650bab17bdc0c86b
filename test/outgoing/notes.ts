import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { JobStore } from '../../src/outgoing/job-store.ts';
import type { Delivery } from '../../src/outgoing/message-queue.ts';
import { createPayloadCipher } from '../../src/outgoing/payload.ts';
import { createStoredMessageQueue } from '../../src/outgoing/stored-message-queue.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
import { recordingLogger } from '../mail/support.ts';
import { dataEncryptionKey } from '../support/app.ts';
import type { Backend, TestDatabase } from '../support/backends.ts';
import { storageOptions } from '../support/storage.ts';

/** A message of these tests. */
export interface Note {
  to: string;
  text: string;
}

const encryption = createDataEncryption(dataEncryptionKey);
export const payloads = createPayloadCipher(encryption);
export const note = (text: string): Note => ({ to: 'ada@example.org', text });

/** What a process has of its own. */
interface Surroundings {
  polls: boolean;
  using: Storage;
  /** Its monotonic clock, in milliseconds. */
  now: () => number;
}

/** The stored members of a message besides its text. */
interface Left {
  kind?: 'mail' | 'text';
  lease?: string | null;
  lifetimeMs?: number;
}

/** A database of messages, and processes that send them. */
export function useNotes(backend: Backend) {
  let database: TestDatabase;
  let storage: Storage;
  const open = () => openStorage(parseDatabaseUrl(database.url, 'gatehouse'), storageOptions());
  beforeAll(async () => {
    database = await backend.lendDatabase();
    storage = await open();
    await storage.install();
  });
  const closings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of closings.splice(0)) await close();
    for (const { id } of await listed()) await storage.repositories.outbox.remove(id);
  });
  afterAll(async () => {
    await storage?.close();
    await database?.drop();
  });

  const listed = () => storage.repositories.outbox.list({}, { limit: 1000 });
  const states = async () => (await listed()).map(({ state, attempts }) => [state, attempts]);

  /** A process: its queue, what it sent, and a poll that the test makes. */
  function start(
    send: (note: Note) => Promise<void> = async () => {},
    { polls = true, using = storage, now }: Partial<Surroundings> = {},
  ) {
    const logger = recordingLogger();
    const sent: string[] = [];
    const undelivered: string[] = [];
    const timers: (() => void)[] = [];
    let most = 0;
    let sending = 0;
    const delivery: Delivery<Note> = {
      noun: 'note',
      async send(note) {
        most = Math.max(most, ++sending);
        try {
          await send(note);
          sent.push(note.text);
        } finally {
          sending--;
        }
      },
      describe: () => ({}),
      onUndelivered: async ({ text }) => void undelivered.push(text),
    };
    const store = new JobStore({
      ...{ rows: using.repositories.outbox, encryption, logger, polls, now },
      schedule: (_, run) => {
        timers.push(run);
        return () => {};
      },
    });
    const format = {
      kind: 'mail' as const,
      mask: () => 'a***@example.org',
      read: (it: unknown) => it as Note,
    };
    const queue = createStoredMessageQueue(delivery, format, { store, logger });
    closings.push(() => queue.drain(1000));
    const poll = () => timers.splice(0).forEach(run => void run());
    return { queue, store, sent, undelivered, logger, poll, mostAtOnce: () => most };
  }

  /** Stores a message as a process does that has died since: its lease ends after this time. */
  async function left(
    text: string,
    dueInMs: number,
    { kind = 'mail', lease = 'of a process that died', lifetimeMs }: Left = {},
  ) {
    const id = randomUUID();
    const payload = payloads.encrypt({ id, kind }, { by: kind, content: note(text), lifetimeMs });
    const row = { id, kind, purpose: 'note', recipient: 'a***@example.org', payload, lease };
    await storage.repositories.outbox.add({ ...row, dueInMs, endsInMs: 86_400_000 });
    return id;
  }

  return {
    open,
    listed,
    states,
    start,
    left,
    get storage() {
      return storage;
    },
    get rows() {
      return storage.repositories.outbox;
    },
  };
}
