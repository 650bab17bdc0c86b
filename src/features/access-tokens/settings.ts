import { z } from 'zod';
import type { TogetherProblem } from '../../config/prefixes.ts';
import { flag, whole } from '../../config/schema/fields.ts';
import { accessTokenTtl, type SigningAlgorithm, signingAlgorithm } from '../../config/schema/resources.ts';
import type { Given } from '../../feature.ts';

const defaultAlgorithms: SigningAlgorithm[] = ['ES256'];

export const settings = {
  enable_tokens: flag(false).describe(
    'Access tokens that other services check by published keys, each for one of `[resources]`',
  ),
  signing_algorithms: z
    .array(signingAlgorithm(), 'must be a list')
    .min(1, 'must name at least one algorithm')
    .refine(names => new Set(names).size === names.length, "can't contain a name twice")
    .default(defaultAlgorithms)
    .describe('Algorithms of access tokens: ES256, RS256, EdDSA; the first is the default of resources'),
  signing_key_rotation_days: whole(0, 3650)
    .default(90)
    .describe('Age at which a signing key is replaced; 0: only by `svc keys rotate`'),
  signing_key_lead_seconds: whole(60, 86_400)
    .default(1200)
    .describe(
      'How long a signing key is published before it signs; more than 300 where services keep keys as `Cache-Control` says',
    ),
  access_token_ttl_seconds: accessTokenTtl().default(300).describe('Lifetime of an access token'),
};

/** The part of the configuration that is about access tokens. */
export interface TokenSettings {
  enableTokens: boolean;
  signingAlgorithms: SigningAlgorithm[];
  signingKeyRotationDays: number;
  signingKeyLeadSeconds: number;
  accessTokenTtlSeconds: number;
}

/** Returns a problem for each resource whose tokens would be signed by an algorithm that is not listed. */
export function problemsOf({
  signing_algorithms: listed = defaultAlgorithms,
  resources,
}: Given): TogetherProblem[] {
  if (typeof resources !== 'object' || resources === null || !Array.isArray(listed)) return [];
  return Object.entries(resources).flatMap(([name, table]): TogetherProblem[] => {
    const { signing_algorithm: algorithm } = (table ?? {}) as Record<string, unknown>;
    if (algorithm === undefined || listed.includes(algorithm)) return [];
    return [{ path: ['resources', name, 'signing_algorithm'], message: 'must be one of signing_algorithms' }];
  });
}
