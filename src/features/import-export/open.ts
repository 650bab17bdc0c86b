import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createOperatorExport } from './export.ts';
import { createOperatorImport } from './import.ts';

/** Opens what only an operator does: no email is sent, no host is asked, and no event is emitted. */
export const open = (parts: FeatureParts) =>
  ({
    operator: {
      ...createOperatorImport(parts, parts.defineAct),
      ...createOperatorExport(parts, parts.defineAct),
    },
  }) satisfies OpenFeature;
