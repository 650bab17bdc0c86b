import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createNotMeLinks } from './links.ts';
import { createNotMe } from './operations.ts';
import { createNewSignIns } from './places.ts';

/** Opens what looks at each sign-in, what puts links into notices, and the operations that the links lead to. */
export function open(parts: FeatureParts) {
  // The configuration is refused without the key (`encryptsWith`).
  const encryption = parts.encryption!;
  const newSignIns = createNewSignIns({ ...parts, notices: parts.mails.notices });
  return {
    operations: createNotMe(parts, encryption),
    sessionStarting: newSignIns.look,
    passwordChanged: ({ id }) => newSignIns.forget(id),
    ...(parts.config.lockoutSparesKnownPlaces && { isKnownPlace: newSignIns.isKnownPlace }),
    reportLink: createNotMeLinks({ ...parts, encryption }).make,
  } satisfies OpenFeature;
}
