import { asAdmin, type Calls } from '../../doors/site.ts';
import { message, mutation, query } from '../../support/operations.ts';
import { unheardWebhook } from '../../support/webhooks.ts';

const webhooks = '{ items { name origin events isOff offAt offReason failingSince waiting dead } }';

/** A call about the webhook of the app. */
const ofWebhook = { good: asAdmin(() => ({ name: 'crm' })), bad: asAdmin(() => ({ name: 'none' })) };

/** The webhook of the app of these calls. */
export const settings = unheardWebhook;

export const operations = {
  webhooks: query('GET /admin/webhooks', 'webhooks', webhooks),
  adminTestWebhook: mutation(
    'POST /admin/webhooks/:name/test',
    'adminTestWebhook',
    'AdminTestWebhookInput!',
    '{ isTaken problem milliseconds }',
  ),
  adminEnableWebhook: mutation(
    'POST /admin/webhooks/:name/enable',
    'adminEnableWebhook',
    'AdminEnableWebhookInput!',
    message,
  ),
  adminReplayWebhook: mutation(
    'POST /admin/webhooks/:name/replay',
    'adminReplayWebhook',
    'AdminReplayWebhookInput!',
    '{ message replayed }',
  ),
};

export const calls: Calls<typeof operations> = {
  webhooks: { good: asAdmin(() => undefined), bad: null },
  adminTestWebhook: ofWebhook,
  adminEnableWebhook: ofWebhook,
  adminReplayWebhook: ofWebhook,
};
