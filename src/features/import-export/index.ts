import { defineFeature } from '../../feature.ts';

/** Users from another system, and all users in the same form (CONTRACT §11.2); at the command line alone. */
export const importExport = defineFeature({
  isOn: () => true,
  load: () => import('./open.ts'),
  commands: () => import('./commands.ts'),
});
