import { hkdfSync } from 'node:crypto';
import type { Config, ConfigInput } from '../config/schema.ts';
import { everyFeature } from '../feature-parts.ts';

/** Returns what `svc serve --dev` sets over the configuration: everything that a developer may want to try. */
export function developmentSettings(config: Config): ConfigInput {
  const { dataEncryptionKey, jwtSecret } = config;
  return {
    ...{ enableUiRouter: true, enableAdminRouter: true, graphqlIde: true, graphqlIntrospection: true },
    ...{ recentSignInForLinks: true, enableSessionList: true, passwordBlocklist: true },
    mailStore: 'database',
    ...Object.assign({}, ...everyFeature.map(feature => feature.development?.(config))),
    ...(Object.keys(config.resources).length === 0 && { resources: { example: exampleOf(config) } }),
    ...(!dataEncryptionKey && { dataEncryptionKey: derivedKey(jwtSecret.reveal()) }),
    email: { logBodies: true },
    sms: { logBodies: true },
  };
}

/** Returns an API to try tokens and keys with, for a configuration without one. */
const exampleOf = ({ baseUrl }: Config) => ({
  identifier: `${baseUrl}/example`,
  scopes: { 'example:read': 'Read the example', 'example:write': 'Change the example' },
});

/** Returns a key that stays the same while the signing secret does, for a configuration without a key. */
function derivedKey(secret: string): string {
  const bytes = hkdfSync('sha256', secret, '', 'gatehouse development data encryption key', 32);
  return Buffer.from(bytes).toString('base64url');
}
