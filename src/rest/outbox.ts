import type { OutboxService } from '../services/outbox.ts';
import { type Route, route } from './route.ts';

export const outboxRoutes = (outbox: OutboxService): Route[] => [
  route('GET', '/admin/outbox', outbox.listMessages),
  route('POST', '/admin/outbox/:id/retry', outbox.retryMessage),
  route('DELETE', '/admin/outbox/:id', outbox.dropMessage),
];
