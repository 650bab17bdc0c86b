import { defineFeature } from '../../feature.ts';
import { deliversInTests } from './content.ts';
import { problemsOf } from './problems.ts';
import { createWebhookEndpointRows } from './rows.ts';
import { settings, type WebhookSettings } from './settings.ts';
import { webhookEndpoints } from './table.ts';
import { warningsOf } from './warnings.ts';

/** Webhooks: an endpoint of the operator's is told of events (CONTRACT §12.2). On while the configuration has one. */
export const webhooks = defineFeature({
  settings,
  isOn: ({ webhooks }: WebhookSettings) => Object.keys(webhooks).length > 0,
  problems: problemsOf,
  deliversInTests,
  warnings: warningsOf,
  tables: { webhook_endpoints: webhookEndpoints },
  repositories: { webhook_endpoints: createWebhookEndpointRows },
  jobs: ['webhook'],
  pages: ({ webhooks }: WebhookSettings) => ({ has_webhooks: Object.keys(webhooks).length > 0 }),
  sample: {
    webhooks: {
      sample: { url: 'https://example.org', secret: `whsec_${Buffer.alloc(32).toString('base64')}` },
    },
  },
  load: () => import('./open.ts'),
  commands: () => import('./command.ts'),
});
