import type { OpenFeature } from '../../composition/open-feature.ts';

/** Opens the keys, the documents and the operations of access tokens. */
export const open = () => ({}) satisfies OpenFeature;
