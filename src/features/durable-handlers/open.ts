import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { DurableHandlers } from './handlers.ts';

/** Opens the place where a host registers its durable handlers. */
export function open({ store, logger, events, meter }: FeatureParts) {
  // There is one while messages wait in the database.
  const handlers = new DurableHandlers({ store: store!, logger });
  meter?.total(
    'gatehouse_durable_handlers_total',
    'Runs of durable handlers: those that were done (taken), tries that failed, and those given up.',
    ['handler', 'outcome'],
    () => handlers.counts,
  );
  let isRecording = false;
  return {
    onStored(event, name, handler) {
      const stop = handlers.on(event, name, handler);
      // An act waits for nothing while there is no handler.
      if (!isRecording) events.recordWith((name, content, act) => handlers.record(name, content, act));
      isRecording = true;
      return stop;
    },
  } satisfies OpenFeature;
}
