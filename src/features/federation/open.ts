import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createResolveEntities } from './operations.ts';

/** Opens the entities, and the fields by which the gateway of a supergraph asks for them. */
export function open(parts: FeatureParts) {
  const resolveEntities = createResolveEntities(parts);
  return {
    operations: { resolveEntities },
    async extendSchema(schema, { introspection }) {
      const { addSubgraph } = await import('./subgraph.ts');
      return addSubgraph(schema, { resolveEntities, introspection });
    },
  } satisfies OpenFeature;
}
