import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { openProvider } from '../../oauth/open.ts';
import { type ProviderSettings, providersOf } from '../../oauth/settings.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Checks for each provider whether a sign-in with it could begin: fetches its metadata and compares its issuer. */
export async function checkExternalSignIn(config: Config): Promise<Finding[]> {
  if (!config.enableOauth) return [['skip', 'is off (enable_oauth)']];
  const providers = providersOf(config);
  if (providers.length === 0) {
    return [['warn', 'is on, but has no credentials, so it is unavailable: svc oauth setup writes them']];
  }
  return Promise.all(providers.map(checkProvider));
}

async function checkProvider(settings: ProviderSettings): Promise<Finding> {
  const { name, redirectUri } = settings;
  const place = 'issuer' in settings ? settings.issuer : settings.authorizationUrl;
  try {
    const provider = await openProvider(settings);
    const made = () => randomBytes(32).toString('base64url');
    const request = {
      state: made(),
      nonce: made(),
      codeVerifier: made(),
      selectAccount: false,
      maxAge: null,
    };
    const { host } = await provider.authorizationUrl(request);
    return [
      'ok',
      `${name}: ${place} signs people in at ${host}; the redirect URI ${redirectUri} must be registered there`,
    ];
  } catch (error) {
    const cause = error instanceof Error && error.name === 'ProviderError' ? error.cause : error;
    return ['fail', `${name}: ${place} can't be used: ${deepest(cause)}`];
  }
}

/** Returns the innermost reason, which says most: the libraries wrap it. */
function deepest(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return reasonOf(inner);
}
