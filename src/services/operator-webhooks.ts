import { operatorCaller } from '../domain/caller.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import type { Webhooks } from '../outgoing/webhooks.ts';
import { createWebhooksService } from './webhooks.ts';

/** What an operator does with webhooks at the command line: the operations of administration. */
export function createOperatorWebhooks(parts: Dependencies, webhooks: Webhooks) {
  const { listWebhooks, testWebhook, enableWebhook, replayWebhook } = createWebhooksService(parts, webhooks);
  return {
    list: () => listWebhooks(operatorCaller, {}),
    test: (name: string) => testWebhook(operatorCaller, { name }),
    enable: (name: string) => enableWebhook(operatorCaller, { name }),
    replay: (name: string) => replayWebhook(operatorCaller, { name }),
  };
}
