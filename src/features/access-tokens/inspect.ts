import type { Inspection } from '../../composition/open-feature.ts';
import type { Resources } from '../../domain/resources.ts';
import { isComplete, parseToken } from './jws.ts';
import type { Ring } from './ring.ts';
import type { AccessTokens } from './tokens.ts';

/** Tells an operator about an access token: its parts but for the signature, and whether it is active. */
export const createInspect =
  ({ resources, tokens, ring }: { resources: Resources; tokens: AccessTokens; ring: Ring }) =>
  async (token: string): Promise<Inspection | null> => {
    const parsed = parseToken(token);
    if (!parsed) return null;
    const { header, payload, headerText } = parsed;
    const key = await ring.find(header.kid);
    const { aud } = payload;
    const resource = isComplete(payload) && typeof aud === 'string' ? resources.identified(aud) : null;
    const valid = resource && (await tokens.check(token, resource));
    return {
      kind: 'access_token',
      header: JSON.parse(headerText),
      claims: payload,
      key: key && {
        ...{ kid: key.kid, algorithm: key.algorithm, state: key.state, since: key.since.toISOString() },
      },
      active: valid !== null && !(await tokens.isRestricted(valid)),
    };
  };
