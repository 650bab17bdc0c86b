import { tenantPlaceholder } from '../config/schema/fields.ts';
import { jwtPart } from './claims.ts';
import { connectOpenId, type OpenIdLibrary } from './openid.ts';
import { openIdProvider } from './openid-provider.ts';
import { failedCheck, type Provider } from './provider.ts';
import { isTenantIssuer, type MicrosoftSettings, tenantId } from './settings.ts';

/** The placeholder of the tenant in the metadata and keys of an endpoint that serves many. */
const inMetadata = '{tenantid}';

/**
 * Returns Microsoft Entra ID. Every tenant is an issuer of its own, and the ID token must be of the one that it names
 * (https://learn.microsoft.com/entra/identity-platform/claims-validation). An address is verified only where `xms_edov`
 * says that its domain belongs to the tenant: otherwise an administrator of any tenant can choose it.
 */
export function microsoftProvider(client: OpenIdLibrary, settings: MicrosoftSettings): Provider {
  const { issuer: template, tenant, clientId, redirectUri, scopes } = settings;
  const issuerFor = (id: string) => template.replace(tenantPlaceholder, id);
  const hasIssuer = (issuer: string) => isTenantIssuer(settings, issuer);

  const connection = connectOpenId(client, {
    ...{ clientId, redirectUri, scopes },
    discoveryUrl: `${issuerFor(tenant)}/.well-known/openid-configuration`,
    auth: client.ClientSecretPost(settings.clientSecret),
    // An endpoint of one tenant names its id, whatever the configuration calls it.
    acceptsIssuer: issuer => issuer === issuerFor(inMetadata) || hasIssuer(issuer),
    acceptsResponseOf: hasIssuer,
    // Each key names whose ID tokens it signs: one of personal accounts signs none of an organisation.
    acceptsKey: (key, issuer) =>
      key.issuer === undefined || key.issuer === issuer || key.issuer === issuerFor(inMetadata),
    issuerOf(response, metadataIssuer) {
      const { tid } = jwtPart((response as { id_token?: unknown } | null)?.id_token, 1);
      if (typeof tid !== 'string' || !tenantId.test(tid)) throw failedCheck('tid');
      const issuer = metadataIssuer.replace(inMetadata, tid);
      if (issuer !== issuerFor(tid) || !hasIssuer(issuer)) throw failedCheck('tid');
      return issuer;
    },
  });

  return openIdProvider(settings, connection, {
    hasIssuer,
    isVerified: claims => claims.xms_edov === true,
    nameOf: claims => (scopes.includes('profile') ? claims.name : undefined),
  });
}
