import type { MessageView } from '../contract/views/message.ts';
import type { OutboxMessageView, OutboxPage } from '../contract/views/outbox.ts';
import { operatorCaller } from '../domain/caller.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { GatehouseError } from '../errors.ts';
import type { JobStore } from '../outgoing/job-store.ts';
import { createOutboxService } from './outbox.ts';

/** The acts of an operator on stored messages at the command line: the operations of administration. */
export function createOperatorOutbox(parts: Dependencies, deliveries: Pick<JobStore, 'wake'>) {
  const { listMessages, retryMessage, dropMessage } = createOutboxService(parts, deliveries);

  /** Every message in this state, newest first, page by page. */
  async function* list(state?: OutboxMessageView['state']): AsyncGenerator<OutboxMessageView> {
    let after: string | null = null;
    do {
      const page: OutboxPage = await listMessages(operatorCaller, { state, after, limit: 200 });
      yield* page.items;
      after = page.next_cursor;
    } while (after !== null);
  }

  return {
    list,
    retry: (id: string): Promise<MessageView> => retryMessage(operatorCaller, { id }),
    drop: (id: string): Promise<MessageView> => dropMessage(operatorCaller, { id }),

    /** Does something with every message that was given up. Returns how many there were. */
    async forEachDead(act: (id: string) => Promise<MessageView>): Promise<number> {
      let count = 0;
      for await (const { id } of list('dead')) {
        try {
          await act(id);
          count++;
        } catch (error) {
          // Somebody else was first.
          if (!(error instanceof GatehouseError) || error.code !== 'not_found') throw error;
        }
      }
      return count;
    },
  };
}
