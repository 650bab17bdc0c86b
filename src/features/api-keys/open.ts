import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { hostCaller, operatorCaller } from '../../domain/caller.ts';
import { createResources } from '../../domain/resources.ts';
import { inNode } from '../../in-node.ts';
import type { KeysFate } from '../../mail/core-mails.ts';
import { call } from '../../server-api/call.ts';
import type { User } from '../../tables/user.ts';
import { createKeyChecks } from './checks.ts';
import { createKeyInspect } from './inspect.ts';
import { createKeyIntrospection } from './introspection.ts';
import { createApiKeys } from './keys.ts';
import type { ApiKeyMembers, ApiKeyTestKit } from './members.ts';
import { createApiKeysService } from './operations.ts';
import { offeredScopes } from './scopes.ts';
import { ApiKeyCreated, ApiKeyView, UserApiKeys } from './views.ts';

/** Opens the operations of API keys, and has them counted where an operation takes keys. */
export function open(parts: FeatureParts) {
  const { config, meter, views, rateLimits, strongSignIn } = parts;
  const offered = offeredScopes(config);
  const keys = createApiKeys({ ...parts, notices: parts.mails.notices, offered });
  const checks = createKeyChecks({ ...parts, offered, limits: rateLimits.limits });
  const { own, administration, createForUser } = createApiKeysService(parts, keys, offered);
  meter?.total(
    'gatehouse_api_key_checks_total',
    'API keys that were checked.',
    'outcome',
    () => checks.outcomes,
  );
  const forHost = { ...administration, createForUser };
  const fate = async (user: User): Promise<KeysFate | null> => {
    const left = (await keys.list(user)).filter(key => !key.is_expired);
    if (user.reportedAt !== null) return left.length > 0 ? 'closed' : null;
    return left.some(key => !key.is_distrusted) ? 'stay' : null;
  };

  return {
    operations: { own, administration: config.enableAdminRouter ? administration : undefined },
    keys: {
      ...{ isSent: checks.isSent, holderOf: checks.holderOf, findOfToken: checks.findOfToken },
      fate,
      async passwordChanged(user, given, trail) {
        if (!('end_api_keys' in given) || given.end_api_keys !== true) return fate(user);
        if ((await keys.removeAll(user, trail.by)) === 0) return null;
        trail.changes = [...(trail.changes ?? []), 'api_keys'];
        return 'ended';
      },
    },
    credentialsLeaving: async (user, by) => void (await keys.removeAll(user, by)),
    introspect: createKeyIntrospection({
      ...{ config, checks, views: createResources(config, views), factors: strongSignIn.factors },
    }),
    inspect: createKeyInspect({ checks, keys, factors: strongSignIn.factors }),
    upkeep: keys.warn,
    members: (): ApiKeyMembers => ({
      apiKeys: {
        create: (userId, key) => call(ApiKeyCreated, createForUser, key, { id: userId }),
        list: async userId => (await call(UserApiKeys, forHost.listOfUser, {}, { id: userId })).items,
        remove: async (userId, keyId) =>
          void (await forHost.removeOfUser(hostCaller, { id: userId, key_id: keyId })),
        async verify(key) {
          if (typeof key !== 'string') return null;
          // The host knows its client, whose requests it limits itself.
          const held = await checks.use(key, null, { isCounted: false });
          if (!held || (await strongSignIn.factors.isRestricted(held.user))) return null;
          return {
            user: views.toNodeUser(held.user),
            apiKey: inNode(ApiKeyView, keys.viewOf(held.row, held.user)),
            scopes: [...held.key.scopes],
          };
        },
      },
    }),
    testKit: (): ApiKeyTestKit => ({
      async createApiKey({ id }, { name = 'Test', scopes = offered.names, ...more } = {}) {
        return (await call(ApiKeyCreated, createForUser, { name, scopes, ...more }, { id })).key;
      },
    }),
    /** The operations of administration, at the command line. */
    operator: {
      /** The names of the scopes that a key may have. */
      scopes: offered.names,
      list: (id: string) => administration.listOfUser(operatorCaller, { id }),
      create: (
        id: string,
        wanted: { name: string; scopes: string[]; expires_in_days?: number | undefined },
      ) => createForUser(operatorCaller, { id, ...wanted }),
      remove: (id: string, keyId: string) =>
        administration.removeOfUser(operatorCaller, { id, key_id: keyId }),
    },
  } satisfies OpenFeature;
}
