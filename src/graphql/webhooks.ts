import type { WebhooksService } from '../services/webhooks.ts';
import { type Field, mutation, query } from './field.ts';

export const webhooksFields = (webhooks: WebhooksService): Field[] => [
  query(webhooks.listWebhooks),
  mutation(webhooks.testWebhook),
  mutation(webhooks.enableWebhook),
  mutation(webhooks.replayWebhook),
];
