import { MessageIdInput, OutboxInput } from '../contract/inputs/outbox.ts';
import { MessageView } from '../contract/views/message.ts';
import { OutboxPage, toOutboxMessageView } from '../contract/views/outbox.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { readPage } from '../domain/pages.ts';
import { GatehouseError } from '../errors.ts';
import type { Trail } from '../observability/watch.ts';
import { dayMs } from '../outgoing/job.ts';
import type { JobStore } from '../outgoing/job-store.ts';
import type { OutboxMessage } from '../tables/outbox-message.ts';
import { say } from '../words/said.ts';

const missing = () =>
  new GatehouseError('not_found', {
    detail: say('error_no_message'),
  });

/** Administration of stored deliveries (CONTRACT §12.1). */
export function createOutboxService(
  { config, repositories, define }: Dependencies,
  deliveries: Pick<JobStore, 'wake'>,
) {
  const { outbox } = repositories;
  const access = { kind: 'superuser' } as const;

  /** Returns a message, and adds its kind and purpose to the audit record. @throws {GatehouseError} not_found */
  async function name(id: string, trail: Trail): Promise<OutboxMessage> {
    const message = await outbox.find(id);
    if (!message) throw missing();
    trail.changes = [`${message.kind}.${message.purpose}`];
    return message;
  }

  const listMessages = define(
    {
      name: 'outboxMessages',
      at: 'GET /admin/outbox',
      summary: 'Emails, text messages, webhooks and stored events that were not delivered yet, newest first.',
      description: 'Neither their content nor the whole recipient is shown.',
      access,
      input: OutboxInput,
      output: OutboxPage,
      errors: [],
    },
    ({ state, ...asked }): Promise<OutboxPage> => {
      const only = state == null ? {} : { state };
      return readPage(asked, page => outbox.list(only, page), toOutboxMessageView);
    },
  );

  const retryMessage = define(
    {
      name: 'adminRetryMessage',
      at: 'POST /admin/outbox/{id}/retry',
      summary: 'Has a message tried at once that waits or was given up.',
      description: 'One whose link has expired is given up again.',
      access,
      input: MessageIdInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ id }, { trail, t }): Promise<MessageView> => {
      const { lane: queue } = await name(id, trail);
      if (await outbox.retry(id, dayMs)) {
        deliveries.wake(queue);
        return { message: t('notice_message_tried') };
      }
      if (await outbox.find(id)) return { message: t('notice_message_sending') };
      throw missing();
    },
  );

  const dropMessage = define(
    {
      name: 'adminDropMessage',
      at: 'DELETE /admin/outbox/{id}',
      summary: 'Deletes a message that was not delivered yet.',
      description: 'One that is being sent may still arrive.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: MessageIdInput,
      output: MessageView,
      errors: ['not_found'],
    },
    async ({ id }, { trail, t }): Promise<MessageView> => {
      await name(id, trail);
      if (!(await outbox.remove(id))) throw missing();
      return { message: t('notice_message_dropped') };
    },
  );

  return { listMessages, retryMessage, dropMessage };
}
