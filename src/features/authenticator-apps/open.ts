import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import { createTotp } from './apps.ts';
import { factor } from './factor.ts';
import { createTotpService } from './operations.ts';

/** Opens the set-up of apps, and the check of their codes in a second step. */
export function open(parts: FeatureParts) {
  const { factors } = parts.strongSignIn;
  // The configuration is refused without the key.
  const totp = createTotp({ ...parts, encryption: parts.encryption! });
  return {
    operations: createTotpService(parts, totp),
    factor: {
      kind: factor.kind,
      errors: [],
      refusal: 'mfa_code_wrong',
      async prove({ user }, { code }, { decide }) {
        const { authenticators } = await factors.of(user);
        const apps = authenticators.filter(({ kind }) => kind === factor.kind);
        await decide(() => totp.match(apps, code ?? ''));
        return ['otp'];
      },
    },
  } satisfies OpenFeature;
}
