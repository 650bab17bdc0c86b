import { randomBytes } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import { googleOptions, googleProvider } from '../oauth/google.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Whether a sign-in with the provider could begin: what it publishes of itself is fetched, its issuer compared. */
export async function checkExternalSignIn(config: Config): Promise<Finding> {
  if (!config.enableOauth) return ['skip', 'is off (enable_oauth)'];
  const options = googleOptions(config);
  if (!options) return ['warn', 'is on without credentials, so it is absent: svc oauth setup writes them'];
  try {
    const provider = await googleProvider(options);
    const made = () => randomBytes(32).toString('base64url');
    const request = { state: made(), nonce: made(), codeVerifier: made(), selectAccount: false };
    const { host } = await provider.authorizationUrl(request);
    return [
      'ok',
      `${options.issuer} sends people to ${host}; it must know the redirect URI ${options.redirectUri}`,
    ];
  } catch (error) {
    const cause = error instanceof Error && error.name === 'ProviderError' ? error.cause : error;
    return ['fail', `${options.issuer} can't be used: ${deepest(cause)}`];
  }
}

/** The libraries wrap what happened: the innermost reason says most. */
function deepest(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return reasonOf(inner);
}
