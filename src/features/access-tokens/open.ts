import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createResources } from '../../domain/resources.ts';
import { createDocuments } from './documents.ts';
import { createAccessTokensService } from './operations.ts';
import { createRing } from './ring.ts';
import { createAccessTokens } from './tokens.ts';

/** Opens the keys, the documents and the operations of access tokens. */
export function open(parts: FeatureParts) {
  const { config, repositories, encryption, logger, meter, sessions, strongSignIn, views } = parts;
  // The configuration is refused without the key.
  const ring = createRing({ ...parts, rows: repositories.signing_keys, encryption: encryption! });
  const resources = createResources(config, views);
  const tokens = createAccessTokens({
    ...parts,
    ...{ ring, resources, factors: strongSignIn.factors, sessionList: sessions.sessionList },
  });
  const { issueAccessToken, signingKeys, rotateSigningKeys } = createAccessTokensService(parts, {
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
      administration: config.enableAdminRouter ? { signingKeys, rotateSigningKeys } : undefined,
    },
    prepare: ring.open,
    issuerDocuments: createDocuments(config, ring, logger),
    ring,
    tokens,
    resources,
  } satisfies OpenFeature & Record<string, unknown>;
}
