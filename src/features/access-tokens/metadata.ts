import type { Config } from '../../config/schema.ts';
import type { ResourceMetadata } from './resource-server.ts';

type Settings = Pick<Config, 'baseUrl' | 'issuer'>;
type Resource = Pick<Config['resources'][string], 'identifier' | 'label' | 'scopes'>;

export const metadataOf = (
  { issuer }: Pick<Settings, 'issuer'>,
  { identifier, label, scopes }: Resource,
): ResourceMetadata => ({
  resource: identifier,
  authorization_servers: [issuer],
  scopes_supported: Object.keys(scopes),
  bearer_methods_supported: ['header'],
  resource_name: label,
});

const prefix = '/.well-known/oauth-protected-resource';

/** Returns the address of the metadata (RFC 9728 §3.1), or null for an identifier that is no http or https URL. */
export function metadataUrlOf({ identifier }: Pick<Resource, 'identifier'>): string | null {
  const { protocol, origin, pathname } = new URL(identifier);
  if (protocol !== 'https:' && protocol !== 'http:') return null;
  return `${origin}${prefix}${pathname === '/' ? '' : pathname}`;
}

/** Returns the path at which Gatehouse serves the metadata itself, or null for an API of another origin. */
export function metadataPathOf({ baseUrl }: Pick<Settings, 'baseUrl'>, resource: Resource): string | null {
  const url = metadataUrlOf(resource);
  return url?.startsWith(`${baseUrl}${prefix}`) ? url.slice(baseUrl.length) : null;
}
