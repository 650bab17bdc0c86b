import { pemOf } from '../config/providers.ts';
import { tenantPlaceholder } from '../config/schema/fields.ts';
import type { Config } from '../config/schema.ts';
import { labelOf } from '../config/user-fields.ts';

/** The parts of every provider. */
interface CommonSettings {
  name: string;
  label: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  /** Whether every address counts as verified. */
  trustsEmail: boolean;
  /** How long ago people may have signed in at the provider, in seconds; null means any time. */
  mostAge: number | null;
}

export interface OidcSettings extends CommonSettings {
  kind: 'oidc';
  issuer: string;
  /** Null for a public client. */
  clientSecret: string | null;
  clientAuth: 'client_secret_basic' | 'client_secret_post' | 'none';
}

export interface MicrosoftSettings extends CommonSettings {
  kind: 'microsoft';
  /** With `{tenant}` in it. */
  issuer: string;
  tenant: string;
  clientSecret: string;
}

export interface AppleSettings extends CommonSettings {
  kind: 'apple';
  issuer: string;
  teamId: string;
  keyId: string;
  /** In PEM. */
  privateKey: string;
}

export interface GithubSettings extends CommonSettings {
  kind: 'github';
  clientSecret: string;
  authorizationUrl: string;
  tokenUrl: string;
  apiUrl: string;
}

export type ProviderSettings = OidcSettings | MicrosoftSettings | AppleSettings | GithubSettings;

export const googleIssuer = 'https://accounts.google.com';

/** Returns the identity providers that people can sign in with, in the order of their buttons. */
export function providersOf(config: Config): ProviderSettings[] {
  return config.enableOauth ? configuredProviders(config) : [];
}

/** As `providersOf`, whether people can sign in with them yet or not. */
export function configuredProviders(config: Config): ProviderSettings[] {
  const google = googleSettings(config);
  const others = Object.entries(config.oauth.providers).map(([name, table]) =>
    settingsOf(name, table, config),
  );
  return google ? [google, ...others] : others;
}

function googleSettings({ oauth }: Pick<Config, 'oauth'>): OidcSettings | null {
  const { googleClientId: clientId, googleClientSecret: secret, googleIssuer: issuer } = oauth;
  const { googleLabel: label, googleRedirectUri: redirectUri } = oauth;
  if (!clientId || !secret) return null;
  return {
    ...{ kind: 'oidc', name: 'google', label, clientId, redirectUri, issuer },
    ...{ clientSecret: secret.reveal(), clientAuth: 'client_secret_post' },
    ...{ scopes: openIdScopes([]), trustsEmail: false, mostAge: oauth.googleMaxAgeSeconds || null },
  };
}

type Table = Config['oauth']['providers'][string];

function settingsOf(
  name: string,
  table: Table,
  { baseUrl, apiPrefix }: Pick<Config, 'baseUrl' | 'apiPrefix'>,
): ProviderSettings {
  const { kind, scopes, trustEmail: trustsEmail } = table;
  // The configuration is refused without those that a kind needs.
  const clientSecret = table.clientSecret?.reveal() ?? '';
  const common = {
    ...{ name, trustsEmail, clientId: table.clientId ?? '', mostAge: table.maxAgeSeconds || null },
    redirectUri: `${baseUrl}${apiPrefix}/oauth/${name}/callback`,
  };
  switch (kind) {
    case 'oidc':
      return {
        ...{ ...common, kind, label: table.label ?? labelOf(name), scopes: openIdScopes(scopes) },
        ...{ issuer: table.issuer!, clientSecret: clientSecret || null },
        clientAuth: table.clientAuth ?? 'client_secret_basic',
      };
    case 'microsoft':
      return {
        ...{ ...common, kind, label: table.label ?? 'Microsoft', scopes: openIdScopes(scopes), clientSecret },
        issuer: table.issuer ?? `https://login.microsoftonline.com/${tenantPlaceholder}/v2.0`,
        tenant: table.tenant ?? 'common',
      };
    case 'apple':
      return {
        ...{ ...common, kind, label: table.label ?? 'Apple', scopes: openIdScopes(scopes) },
        ...{ issuer: table.issuer ?? 'https://appleid.apple.com', teamId: table.teamId! },
        ...{ keyId: table.keyId!, privateKey: pemOf(table.privateKey!.reveal()) },
      };
    case 'github':
      return {
        ...{ ...common, kind, label: table.label ?? 'GitHub', clientSecret },
        scopes: scopes.length > 0 ? scopes : ['user:email'],
        authorizationUrl: table.authorizationUrl ?? 'https://github.com/login/oauth/authorize',
        tokenUrl: table.tokenUrl ?? 'https://github.com/login/oauth/access_token',
        apiUrl: table.apiUrl ?? 'https://api.github.com',
      };
  }
}

/** The scopes that an address needs, unless the configuration says otherwise; without `openid` there is no ID token. */
const openIdScopes = (scopes: readonly string[]) => [
  ...new Set(['openid', ...(scopes.length > 0 ? scopes : ['email'])]),
];

/** Returns the issuer by GitHub's own metadata: where its pages of OAuth are. */
export function githubIssuer({ authorizationUrl }: Pick<GithubSettings, 'authorizationUrl'>): string {
  const { origin, pathname } = new URL(authorizationUrl);
  return `${origin}${pathname.replace(/\/authorize$/, '')}`;
}

/** The id of a tenant of Microsoft Entra ID. */
export const tenantId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The tenant of personal accounts, which are no organisation's. */
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Returns whether an issuer is a tenant of Microsoft that may sign in, as far as the configuration says which one. */
export function isTenantIssuer(
  { issuer: template, tenant }: Pick<MicrosoftSettings, 'issuer' | 'tenant'>,
  issuer: string,
): boolean {
  const [before = '', after = ''] = template.split(tenantPlaceholder);
  if (!issuer.startsWith(before) || !issuer.endsWith(after)) return false;
  const id = issuer.slice(before.length, issuer.length - after.length);
  if (!tenantId.test(id)) return false;
  const wanted = tenant.toLowerCase();
  if (wanted === 'organizations') return id !== consumers;
  return !tenantId.test(wanted) || id === wanted;
}
