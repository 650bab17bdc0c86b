import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import type { Config } from '../../config/schema.ts';
import { operatorCaller } from '../../domain/caller.ts';
import { packageVersion } from '../../version.ts';
import { wants } from './content.ts';
import { createWebhooks, type Endpoint } from './deliveries.ts';
import { createWebhooksService } from './operations.ts';

export { check } from './check.ts';

/** Opens the queues of the webhooks, and has every event stored that one of them wants. */
export function open(parts: FeatureParts) {
  const { config, clock, events, logger, meter, repositories, store } = parts;
  const webhooks = createWebhooks({
    ...{ endpoints: endpointsOf(config), logger, clock, rows: repositories },
    // The configuration is refused without one (`problems.ts`).
    store: store!,
    userAgent: `Gatehouse/${packageVersion()}`,
  });
  events.recordWith((name, event, act) => webhooks.record(name, event, act));
  meter?.total(
    'gatehouse_webhook_deliveries_total',
    'Deliveries to webhooks: those that were taken, tries that failed, and those given up.',
    ['webhook', 'outcome'],
    () => webhooks.counts.outcomes,
  );
  meter?.now('gatehouse_webhook_off', 'Whether a webhook is switched off (1).', 'webhook', () =>
    Object.fromEntries(Object.entries(webhooks.counts.isOff).map(([name, isOff]) => [name, +isOff])),
  );
  const { listWebhooks, testWebhook, enableWebhook, replayWebhook } = createWebhooksService(parts, webhooks);
  return {
    operations: config.enableAdminRouter
      ? { listWebhooks, testWebhook, enableWebhook, replayWebhook }
      : undefined,
    switchedOff: async () =>
      (await repositories.webhook_endpoints.list()).filter(row => row.offAt && row.id in config.webhooks)
        .length,
    status: () => ({ webhooks: switchedOff(webhooks.counts.isOff) }),
    /** The operations of administration, at the command line. */
    operator: {
      list: () => listWebhooks(operatorCaller, {}),
      test: (name: string) => testWebhook(operatorCaller, { name }),
      enable: (name: string) => enableWebhook(operatorCaller, { name }),
      replay: (name: string) => replayWebhook(operatorCaller, { name }),
    },
  } satisfies OpenFeature;
}

/** A webhook that was switched off gets nothing until somebody enables it. */
function switchedOff(isOff: Record<string, boolean>) {
  const off = Object.keys(isOff).filter(name => isOff[name]);
  return off.length === 0 ? { status: 'ok' } : { status: 'off', off };
}

/** Returns the endpoints of the configuration. */
const endpointsOf = ({ webhooks }: Pick<Config, 'webhooks'>): Endpoint[] =>
  Object.entries(webhooks).map(([name, { url, events, secret, secretPrevious }]) => ({
    name,
    url,
    wants: event => wants(events, event),
    secrets: [secret, secretPrevious].flatMap(each => each?.reveal() ?? []),
  }));
