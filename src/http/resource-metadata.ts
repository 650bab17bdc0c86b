import type { ResourceMetadata } from './resource-server.ts';

interface Described {
  /** The identifier of the API. */
  identifier: string;
  /** The text for people. */
  label?: string | undefined;
  scopes: readonly string[];
}

export const metadataOf = (issuer: string, { identifier, label, scopes }: Described): ResourceMetadata => ({
  resource: identifier,
  authorization_servers: [issuer],
  scopes_supported: [...scopes],
  bearer_methods_supported: ['header'],
  ...(label !== undefined && { resource_name: label }),
});

const prefix = '/.well-known/oauth-protected-resource';

/** Returns the address of the metadata (RFC 9728 §3.1), or null for an identifier that is no http or https URL. */
export function metadataUrlOf(identifier: string): string | null {
  const { protocol, origin, pathname } = new URL(identifier);
  if (protocol !== 'https:' && protocol !== 'http:') return null;
  return `${origin}${prefix}${pathname === '/' ? '' : pathname}`;
}

/** Returns the path at which Gatehouse serves the metadata itself, or null for an API of another origin. */
export function metadataPathOf(baseUrl: string, identifier: string): string | null {
  const url = metadataUrlOf(identifier);
  return url?.startsWith(`${baseUrl}${prefix}`) ? url.slice(baseUrl.length) : null;
}
