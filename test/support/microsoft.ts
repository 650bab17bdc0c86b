import { createCodes, createSigner, type Handler, json, type StandIn, startStandIn } from './stand-in.ts';

const client = { id: '6731de76-14a6-49ae-97bc-6eba6914391e', secret: 'a microsoft secret of the tests' };

export const tenants = {
  contoso: '72f988bf-86f1-41af-91ab-2d7cd011db47',
  fabrikam: 'f8cdef31-a31e-4b4a-93e4-5f571e91255a',
  /** That of personal accounts. */
  consumers: '9188040d-6c67-4c5b-b112-36a304b66dad',
};

/** Somebody of a tenant; further claims stand in the ID token as they are. */
export interface MicrosoftUser {
  sub: string;
  tid: string;
  email?: string;
  xms_edov?: unknown;
  /** Signs with the key that Entra ID publishes for personal accounts alone; no claim. */
  byConsumerKey?: boolean;
  [claim: string]: unknown;
}

export interface Microsoft extends StandIn {
  /** The settings of the provider in `oauth.providers`. */
  table: { kind: 'microsoft'; clientId: string; clientSecret: string; issuer: string };
  issuerOf(tenant: string): string;
  answerTo(authorizationUrl: string, user: MicrosoftUser): string;
}

/** Starts Entra ID as learn.microsoft.com describes its endpoints of version 2: for everybody, and for one tenant each. */
export async function startMicrosoft(): Promise<Microsoft> {
  const codes = createCodes(client.id);
  const [common, ofConsumers] = await Promise.all([createSigner('one'), createSigner('two')]);
  const issuerAt = (origin: string, tenant: string) => `${origin}/${tenant}/v2.0`;
  const server = await startStandIn(origin => {
    const paths: Record<string, Handler> = {
      // Each key names whose ID tokens it signs.
      '/common/discovery/v2.0/keys': (_req, _form, res) =>
        json(res, {
          keys: [
            { ...common.jwk, issuer: issuerAt(origin, '{tenantid}') },
            { ...ofConsumers.jwk, issuer: issuerAt(origin, tenants.consumers) },
          ],
        }),
    };
    // The endpoint of a domain is that of its tenant.
    const endpoints = {
      common: '{tenantid}',
      organizations: '{tenantid}',
      'contoso.example': tenants.contoso,
    };
    const own = Object.fromEntries(Object.values(tenants).map(id => [id, id]));
    for (const [tenant, id] of Object.entries({ ...endpoints, ...own })) {
      paths[`/${tenant}/v2.0/.well-known/openid-configuration`] = (_req, _form, res) =>
        json(res, {
          issuer: issuerAt(origin, id),
          authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/authorize`,
          token_endpoint: `${origin}/${tenant}/oauth2/v2.0/token`,
          jwks_uri: `${origin}/common/discovery/v2.0/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['pairwise'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      paths[`/${tenant}/oauth2/v2.0/token`] = async (_req, form, res) => {
        const isClient = form.get('client_id') === client.id && form.get('client_secret') === client.secret;
        const grant = isClient ? codes.take(form) : null;
        if (!grant) return json(res, { error: 'invalid_grant', error_description: 'AADSTS70000' }, 400);
        const { byConsumerKey, ...person } = grant.person;
        const claims = { iss: issuerAt(origin, String(person.tid)), ver: '2.0', ...person };
        const id_token = await (byConsumerKey ? ofConsumers : common).sign({
          aud: client.id,
          nonce: grant.nonce,
          ...claims,
        });
        return json(res, { token_type: 'Bearer', expires_in: 3599, access_token: 'x', id_token });
      };
    }
    return paths;
  });
  const { origin } = server;
  return {
    ...server,
    table: {
      ...{ kind: 'microsoft', clientId: client.id, clientSecret: client.secret },
      issuer: `${origin}/{tenant}/v2.0`,
    },
    issuerOf: tenant => issuerAt(origin, tenant),
    answerTo: (url, user) => `?${new URLSearchParams(codes.give(url, user))}`,
  };
}
