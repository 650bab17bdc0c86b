import { defineFeature } from '../../feature.ts';

/** Durable handlers: a host's handler gets events that were stored before their act was acknowledged (CONTRACT §15.4). */
export const durableHandlers = defineFeature({
  isOn: ({ mailStore }: { mailStore: string }) => mailStore === 'database',
  jobs: ['event'],
  load: () => import('./open.ts'),
});
