import type { WebhooksService } from '../services/webhooks.ts';
import { type Route, route } from './route.ts';

export const webhooksRoutes = (webhooks: WebhooksService): Route[] => [
  route('GET', '/admin/webhooks', webhooks.listWebhooks),
  route('POST', '/admin/webhooks/:name/test', webhooks.testWebhook),
  route('POST', '/admin/webhooks/:name/enable', webhooks.enableWebhook),
  route('POST', '/admin/webhooks/:name/replay', webhooks.replayWebhook),
];
