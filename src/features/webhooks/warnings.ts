import { retiredEventNames } from '../../event-names.ts';
import type { WebhookSettings } from './settings.ts';

/** Returns a warning for each event that a webhook names and that is no longer emitted. */
export const warningsOf = ({ webhooks }: WebhookSettings): string[] =>
  Object.entries(webhooks).flatMap(([name, { events }]) =>
    retiredEventNames
      .filter(retired => events.includes(retired))
      .map(event => `webhooks.${name}.events names ${event}, which is no longer emitted: take it away.`),
  );
