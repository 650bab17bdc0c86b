import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import type { FactorProof } from '../../domain/factor-proof.ts';
import { GatehouseError } from '../../errors.ts';
import { namedPaths } from '../../http/named-paths.ts';
import { jsonResponse } from '../../http/response.ts';
import { wellKnownPrefix } from '../../http/well-known.ts';
import { factor } from './factor.ts';
import { createPasskeysService } from './operations.ts';
import { createPasskeys, type Passkeys } from './passkeys.ts';
import { openWebAuthn } from './webauthn.ts';

export { checkSettings } from './check.ts';

/** Opens the set-up of passkeys, the sign-in with one, and the check of one in a second step. */
export async function open(parts: FeatureParts) {
  const passkeys = createPasskeys({ ...parts, webauthn: await openWebAuthn() });
  return {
    operations: createPasskeysService(parts, passkeys),
    factor: proofOf(passkeys),
    wellKnown(page) {
      const endpoints = { enroll: page, manage: page };
      const caching = { 'Cache-Control': 'no-cache' };
      const document = async () => jsonResponse(200, endpoints, caching);
      return namedPaths(wellKnownPrefix, { 'passkey-endpoints': document }, parts.logger);
    },
  } satisfies OpenFeature;
}

const proofOf = (passkeys: Passkeys): FactorProof => ({
  kind: factor.kind,
  errors: ['not_found', 'passkey_invalid'],
  refusal: 'passkey_invalid',
  proveAlone: passkeys.proveLogin,
  async prove(step, { id, credential }, { decide }) {
    if (id === null || credential === null) throw new GatehouseError('passkey_invalid');
    return decide(async () => {
      const amr = await passkeys.proveStep(step, id, credential);
      return async () => amr;
    }).catch(async error => {
      if (!(error instanceof GatehouseError) || error.code !== 'passkey_invalid') throw error;
      // A wrong passkey counts as a wrong code does.
      await decide(async () => null).catch(counted => {
        if (counted.code !== 'mfa_code_wrong') throw counted;
      });
      throw error;
    });
  },
});
