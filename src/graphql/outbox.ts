import type { OutboxService } from '../services/outbox.ts';
import { connection, type Field, mutation } from './field.ts';

export const outboxFields = (outbox: OutboxService): Field[] => [
  connection(outbox.listMessages, 'id'),
  mutation(outbox.retryMessage),
  mutation(outbox.dropMessage),
];
