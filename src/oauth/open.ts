import type { Config } from '../config/schema.ts';
import { importOptional } from '../optional.ts';
import { appleProvider } from './apple.ts';
import { githubProvider } from './github.ts';
import { microsoftProvider } from './microsoft.ts';
import { oidcProvider } from './oidc.ts';
import type { OpenIdLibrary } from './openid.ts';
import type { Provider } from './provider.ts';
import { type ProviderSettings, providersOf } from './settings.ts';

/**
 * Returns the identity providers that people can sign in with.
 * @throws {MissingPackageError} naming the package to install when it is missing
 */
export async function openProviders(config: Config): Promise<Provider[]> {
  return Promise.all(providersOf(config).map(openProvider));
}

/** @throws {MissingPackageError} naming the package to install when it is missing */
export async function openProvider(settings: ProviderSettings): Promise<Provider> {
  const client = await importOptional(
    'openid-client',
    'Sign-in with a provider',
    () => import('openid-client'),
  );
  return providerOf(client, settings);
}

function providerOf(client: OpenIdLibrary, settings: ProviderSettings): Provider {
  switch (settings.kind) {
    case 'oidc':
      return oidcProvider(client, settings);
    case 'github':
      return githubProvider(client, settings);
    case 'microsoft':
      return microsoftProvider(client, settings);
    case 'apple':
      return appleProvider(client, settings);
  }
}
