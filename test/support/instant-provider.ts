import { addressOf } from './oidc.ts';
import { createSigner, json, metadata, startStandIn } from './stand-in.ts';

/** Whom an ID token is about, and what it claims beside the usual. */
export interface Person {
  sub: string;
  email?: unknown;
  email_verified?: unknown;
  [claim: string]: unknown;
}

/** An OpenID Connect provider without pages, for tests that need many sign-ins, or two issuers. */
export interface InstantProvider {
  issuer: string;
  /** The settings in `oauth`. */
  settings: { googleClientId: string; googleClientSecret: string; googleIssuer: string };
  /** The settings of the provider in `oauth.providers`. */
  table: { clientId: string; clientSecret: string; issuer: string };
  /** The query with which a browser comes back when this person has signed in at the authorization URL. */
  answerTo(authorizationUrl: string, person: Person): string;
  close(): Promise<void>;
}

const client = { id: 'client-of-the-tests', secret: 'a secret of the client of the tests' };

export async function startInstantProvider(): Promise<InstantProvider> {
  const { jwk, sign } = await createSigner();
  const { origin: issuer, close } = await startStandIn(issuer => ({
    '/.well-known/openid-configuration': (_req, _form, res) =>
      json(res, {
        ...metadata(issuer),
        authorization_response_iss_parameter_supported: true,
      }),
    '/keys': (_req, _form, res) => json(res, { keys: [jwk] }),
    '/token': async (_req, form, res) => {
      const claims = JSON.parse(Buffer.from(form.get('code')!, 'base64url').toString());
      const id_token = await sign({ ...claims, iss: issuer, aud: client.id });
      json(res, { access_token: 'x', token_type: 'Bearer', expires_in: 300, id_token });
    },
  }));

  return {
    issuer,
    settings: { googleClientId: client.id, googleClientSecret: client.secret, googleIssuer: issuer },
    table: { clientId: client.id, clientSecret: client.secret, issuer },
    answerTo(authorizationUrl, person) {
      const { searchParams } = new URL(authorizationUrl);
      const claims = { email: addressOf(person.sub), email_verified: true, ...person };
      const code = JSON.stringify({ ...claims, nonce: searchParams.get('nonce') });
      const query = { code: Buffer.from(code).toString('base64url'), iss: issuer };
      return `?${new URLSearchParams({ ...query, state: searchParams.get('state')! })}`;
    },
    close,
  };
}
