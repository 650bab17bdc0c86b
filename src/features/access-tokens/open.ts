import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createResources } from '../../domain/resources.ts';
import { createDocuments } from './documents.ts';
import { createResourceServer } from './guards.ts';
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
    resource(name, host) {
      const resource = resources.find(name);
      if (!resource) throw new TypeError(`gatehouse.resource: the configuration has no resource ${name}.`);
      const { clock } = parts;
      const { factors } = strongSignIn;
      return createResourceServer(resource, {
        ...{ issuer: config.issuer, clock, factors, tokens, toNodeUser: views.toNodeUser, logger, ...host },
      });
    },
    prepare: ring.open,
    issuerDocuments: createDocuments(config, ring, logger),
    ring,
    tokens,
    resources,
  } satisfies OpenFeature & Record<string, unknown>;
}
