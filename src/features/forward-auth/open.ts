import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { described } from './described.ts';
import { createGate } from './gate.ts';
import { createHosts } from './hosts.ts';

export { checkSettings } from './check.ts';

/** Opens the path at which proxies ask. */
export function open(parts: FeatureParts) {
  const hosts = createHosts(parts);
  const gate = createGate(parts, hosts);
  parts.meter?.total(
    'gatehouse_forward_auth_total',
    'Questions of proxies, by how they were answered.',
    'outcome',
    () => ({ ...gate.outcomes }),
  );
  return {
    answers: {
      '/forward-auth': { respond: gate.respond, described: described.gate },
      '/forward-auth/start': { respond: hosts.start, described: described.start },
    },
  } satisfies OpenFeature;
}
