import type { Config } from '../../config/schema.ts';
import type { Factors } from '../../domain/factors.ts';
import type { Resources } from '../../domain/resources.ts';
import type { Introspect } from '../../services/introspection.ts';
import type { KeyChecks } from './checks.ts';
import { looksLikeKey } from './key-form.ts';

interface Parts {
  config: Pick<Config, 'issuer'>;
  checks: KeyChecks;
  views: Pick<Resources, 'claimsOf'>;
  factors: Factors;
}

/** Returns what tells an API what a key means for it: it learns of its own scopes alone (CONTRACT §16.4). */
export const createKeyIntrospection =
  ({ config, checks, views, factors }: Parts): Introspect =>
  async (token, resource) => {
    if (!looksLikeKey(token)) return null;
    // Refused credentials of APIs are counted; the keys that they ask about are not.
    const held = await checks.check(token, null, { isCounted: false });
    const scopes = resource.scopes.filter(scope => held?.key.scopes.includes(scope));
    if (!held || scopes.length === 0 || (await factors.isRestricted(held.user))) return null;
    const { user, row } = held;
    return {
      ...{ active: true, token_type: 'api_key', scope: scopes.join(' '), client_id: 'api_key' },
      ...{ sub: user.id, aud: resource.identifier, iss: config.issuer, key_id: row.id },
      iat: Math.floor(row.createdAt.getTime() / 1000),
      ...(row.expiresAt && { exp: Math.floor(row.expiresAt.getTime() / 1000) }),
      ...views.claimsOf(resource, user),
    };
  };
