import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { operatorCaller } from '../../domain/caller.ts';
import { createResources } from '../../domain/resources.ts';
import { createDocuments } from './documents.ts';
import { createResourceServer } from './guards.ts';
import type { AccessTokenMembers } from './members.ts';
import { createAccessTokensService } from './operations.ts';
import { createRing } from './ring.ts';
import { createAccessTokens } from './tokens.ts';

/** Opens the keys, the documents and the operations of access tokens. */
export function open(parts: FeatureParts) {
  const { config, repositories, encryption, logger, meter, sessions, strongSignIn, views } = parts;
  // The configuration is refused without the key.
  const ring = createRing({
    ...parts,
    ...{ rows: repositories.signing_keys, encryption: encryption! },
    later: work => parts.background.run('rotateSigningKeys', undefined, async () => void (await work())),
  });
  const resources = createResources(config, views);
  const tokens = createAccessTokens({
    ...parts,
    ...{ ring, resources, factors: strongSignIn.factors, sessionList: sessions.sessionList },
  });
  const { issueAccessToken, signingKeys, rotateSigningKeys, revokeToken, introspect } =
    createAccessTokensService(parts, {
      ...{ resources, tokens, ring },
    });
  meter?.total(
    'gatehouse_access_tokens_issued_total',
    'Access tokens that were issued.',
    'source',
    () => tokens.issued,
  );
  return {
    operations: {
      issueAccessToken,
      revokeToken,
      administration: config.enableAdminRouter ? { signingKeys, rotateSigningKeys } : undefined,
    },
    introspect,
    members: (host): AccessTokenMembers => ({
      resource(name) {
        const resource = resources.find(name);
        if (!resource) throw new TypeError(`gatehouse.resource: the configuration has no resource ${name}.`);
        const { clock } = parts;
        const { factors } = strongSignIn;
        return createResourceServer(resource, {
          ...{ issuer: config.issuer, clock, factors, tokens, toNodeUser: views.toNodeUser, logger, ...host },
        });
      },
    }),
    prepare: ring.open,
    issuerDocuments: createDocuments(config, { resources: resources.all, ring, logger }),
    operator: {
      list: async () => {
        const isUpToDate = new Map((await ring.keys()).map(key => [key.kid, key.isUpToDate]));
        const { items } = await signingKeys(operatorCaller, {});
        return items.map(item => ({ ...item, is_up_to_date: isUpToDate.get(item.kid) ?? true }));
      },
      rotate: (input: { algorithm?: SigningAlgorithm | undefined; force?: boolean | undefined }) =>
        rotateSigningKeys(operatorCaller, input),
      remove: parts.defineAct('removeSigningKey', async (kid: string, trail) => {
        trail.changes = [`signing_keys.${kid}`];
        return ring.remove(kid);
      }),
      reset: () => parts.defineAct('resetSigningKeys', async (_: object) => ring.reset())({}),
    },
  } satisfies OpenFeature;
}
