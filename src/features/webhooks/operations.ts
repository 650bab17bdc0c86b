import { z } from 'zod';
import { MessageView } from '../../contract/views/message.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import { GatehouseError } from '../../errors.ts';
import { mostStored } from '../../observability/metrics.ts';
import type { Trail } from '../../observability/watch.ts';
import { monthMs } from '../../outgoing/job.ts';
import { say } from '../../words/said.ts';
import { english } from '../../words/words.ts';
import type { Endpoint, Webhooks } from './deliveries.ts';
import { WebhookNameInput } from './inputs.ts';
import { WebhookList, WebhookReplayView, WebhookTestView, type WebhookView } from './views.ts';

/** Administration of webhooks (CONTRACT §12.2). */
export function createWebhooksService({ config, repositories, define }: Dependencies, webhooks: Webhooks) {
  const { outbox, webhook_endpoints } = repositories;
  const access = { kind: 'superuser' } as const;

  /** Returns an endpoint, and adds its name to the audit record. @throws {GatehouseError} not_found */
  function getEndpoint(name: string, trail: Trail): Endpoint {
    const endpoint = webhooks.endpoints.find(each => each.name === name);
    if (!endpoint) throw new GatehouseError('not_found', { detail: say('error_no_webhook', { name }) });
    trail.changes = [`webhooks.${name}`];
    return endpoint;
  }

  const listWebhooks = define(
    {
      name: 'webhooks',
      at: 'GET /admin/webhooks',
      summary: 'The webhooks of the configuration, and which of them are switched off.',
      description: 'Secrets are never shown.',
      access,
      input: z.strictObject({}),
      output: WebhookList,
      errors: [],
    },
    async (): Promise<WebhookList> => {
      const states = new Map((await webhook_endpoints.list()).map(row => [row.id, row]));
      const countOf = (queue: string, state: 'waiting' | 'sending' | 'dead') =>
        outbox.count({ queue, state }, mostStored);
      const viewOf = async ({ name, url }: Endpoint): Promise<WebhookView> => {
        const { failingSince = null, offAt = null, offReason = null } = states.get(name) ?? {};
        const queue = webhooks.queueOf(name);
        const [waiting, sending, dead] = await Promise.all([
          countOf(queue, 'waiting'),
          countOf(queue, 'sending'),
          countOf(queue, 'dead'),
        ]);
        return {
          name,
          origin: new URL(url).origin,
          events: config.webhooks[name]!.events,
          is_off: offAt !== null,
          off_at: offAt?.toISOString() ?? null,
          off_reason: offReason,
          failing_since: failingSince?.toISOString() ?? null,
          waiting: waiting + sending,
          dead,
        };
      };
      return { items: await Promise.all(webhooks.endpoints.map(viewOf)) };
    },
  );

  const testWebhook = define(
    {
      name: 'adminTestWebhook',
      at: 'POST /admin/webhooks/{name}/test',
      summary: 'Sends a test to a webhook at once, and returns whether it was taken.',
      description:
        'Its type is `webhook_test`. It is sent to a webhook that is switched off, too, and is not retried.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: WebhookNameInput,
      output: WebhookTestView,
      errors: ['not_found'],
    },
    async ({ name }, { trail, caller }): Promise<WebhookTestView> => {
      const { isTaken, problem, milliseconds } = await webhooks.test(getEndpoint(name, trail));
      const words = caller.reply?.speak?.() ?? english;
      return { is_taken: isTaken, problem: problem && words.say(problem), milliseconds };
    },
  );

  const enableWebhook = define(
    {
      name: 'adminEnableWebhook',
      at: 'POST /admin/webhooks/{name}/enable',
      summary: 'Switches a webhook on again.',
      description: 'It gets what happens from then on; what it missed is sent by a replay.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: WebhookNameInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ name }, { trail, t }): Promise<MessageView> => {
      getEndpoint(name, trail);
      const wasOff = await webhook_endpoints.enable(name);
      await webhooks.refresh(name);
      return { message: wasOff ? t('notice_webhook_enabled') : t('notice_webhook_was_on') };
    },
  );

  const replayWebhook = define(
    {
      name: 'adminReplayWebhook',
      at: 'POST /admin/webhooks/{name}/replay',
      summary: 'Has everything tried again that a webhook has not taken.',
      description:
        'Deliveries that wait, were given up, or happened while the webhook was switched off are kept for a month. The ids stay the same.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: WebhookNameInput,
      output: WebhookReplayView,
      errors: ['not_found'],
    },
    async ({ name }, { trail, t }): Promise<WebhookReplayView> => {
      getEndpoint(name, trail);
      const replayed = await outbox.replay(webhooks.queueOf(name), monthMs);
      await webhooks.refresh(name);
      return { message: t('notice_webhook_replayed', { replayed }), replayed };
    },
  );

  return { listWebhooks, testWebhook, enableWebhook, replayWebhook };
}
